#include "services/kubectl-minicluster/view/pods.h"

#include <tuple>

#include "common/api/model/names.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// Times of the API server are RFC 3339 in UTC, so they sort as texts. Of two pods of the same
// second, the one that is not being deleted is the newer one.
auto age_of(const json& pod) {
  return std::tuple(text_at(pod, {"metadata", "creationTimestamp"}),
                    text_at(pod, {"metadata", "deletionTimestamp"}).empty());
}

}  // namespace

std::string selector_of_pods(const json& minicluster) {
  return std::string(api::kUidLabel) + "=" + text_at(minicluster, {"metadata", "uid"});
}

std::string flux_container(const json& minicluster) {
  return text_at(minicluster, {"metadata", "name"});
}

std::optional<std::int64_t> rank_of(const json& pod) {
  return parse_integer(text_at(pod, {"metadata", "labels", api::kJobIndexLabel}));
}

bool is_newer(const json& pod, const json& other) { return age_of(other) < age_of(pod); }

const json* pod_of_rank(const std::vector<json>& pods, std::int64_t rank) {
  const json* found = nullptr;
  for (const json& pod : pods) {
    if (rank_of(pod) != rank) continue;
    if (found == nullptr || is_newer(pod, *found)) found = &pod;
  }
  return found;
}

const json& container_status(const json& pod, const std::string& container) {
  static const json kNull;
  for (const char* const list : {"containerStatuses", "initContainerStatuses"}) {
    for (const json& status : items_at(pod, {"status", list})) {
      if (text_at(status, {"name"}) == container) return status;
    }
  }
  return kNull;
}

}  // namespace mc::kubectl
