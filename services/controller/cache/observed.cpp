#include "services/controller/cache/observed.h"

#include "common/base/json.h"

namespace mc::controller {

const json* Observed::find(std::string_view kind, std::string_view name) const {
  for (const Snapshot& object : owned) {
    if (text_at(*object, {"kind"}) == kind && text_at(*object, {"metadata", "name"}) == name) {
      return object.get();
    }
  }
  return nullptr;
}

bool is_deleted(const json& object) {
  return !text_at(object, {"metadata", "deletionTimestamp"}).empty();
}

bool is_suspended(const json& job) { return at_path(job, {"spec", "suspend"}) == true; }

std::string annotation(const json& object, std::string_view key) {
  return text_at(object, {"metadata", "annotations", key});
}

}  // namespace mc::controller
