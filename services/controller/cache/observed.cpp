#include "services/controller/cache/observed.h"

#include <algorithm>

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

const Pod* Observed::find_pod(std::string_view name) const {
  const auto found = std::ranges::find_if(
      owned_pods, [&](const Shared<Pod>& pod) { return pod->metadata.name == name; });
  return found == owned_pods.end() ? nullptr : found->get();
}

bool Observed::has(std::string_view kind, std::string_view name) const {
  return kind == "Pod" ? find_pod(name) != nullptr : find(kind, name) != nullptr;
}

bool is_deleted(const json& object) {
  return !text_at(object, {"metadata", "deletionTimestamp"}).empty();
}

bool is_suspended(const json& job) { return at_path(job, {"spec", "suspend"}) == true; }

std::string annotation(const json& object, std::string_view key) {
  return text_at(object, {"metadata", "annotations", key});
}

}  // namespace mc::controller
