#include "services/controller/cluster/types.h"

namespace mc::controller {

bool is_deleted(const Metadata& object) { return object.deletion.has_value(); }

std::string owner_key(const Metadata& object, std::string_view kind) {
  if (object.owner.kind != kind) return "";
  return object.ns.empty() ? object.owner.name : object.ns + "/" + object.owner.name;
}

}  // namespace mc::controller
