#include "services/controller/cluster/types.h"

namespace mc::controller {

bool is_deleted(const Metadata& object) { return object.deletion.has_value(); }

Opaque::Opaque(const json& tree) : text_(dump(tree)) { text_.shrink_to_fit(); }

json Opaque::tree() const { return json::parse(text_); }

const api::StoredCondition* final_condition(const ClusterStatus& status) {
  const auto* complete = api::find_true_condition(status.conditions, api::kComplete);
  return complete != nullptr ? complete : api::find_true_condition(status.conditions, api::kFailed);
}

bool is_finished(const ClusterStatus& status) { return final_condition(status) != nullptr; }

bool is_unwritten(const ClusterStatus& status) {
  if (status == ClusterStatus()) return true;
  // Another operator's status may have kept this part of the default.
  return status.observed_generation == -1 && status.selector.empty() && status.conditions.empty();
}

std::string owner_key(const Metadata& object, std::string_view kind) {
  if (object.owner.kind != kind) return "";
  return object.ns.empty() ? object.owner.name : object.ns + "/" + object.owner.name;
}

}  // namespace mc::controller
