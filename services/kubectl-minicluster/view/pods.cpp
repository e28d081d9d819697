#include "services/kubectl-minicluster/view/pods.h"

#include <algorithm>
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

void keep_newest(const json& pod, const json*& found) {
  if (found == nullptr || age_of(*found) < age_of(pod)) found = &pod;
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

std::int64_t ranks_of(const json& minicluster) {
  return std::max(integer_at(minicluster, {"spec", "size"}, 1),
                  integer_at(minicluster, {"status", "size"}));
}

const json* pod_of_rank(const std::vector<json>& pods, std::int64_t rank) {
  const json* found = nullptr;
  for (const json& pod : pods) {
    if (rank_of(pod) == rank) keep_newest(pod, found);
  }
  return found;
}

std::map<std::int64_t, const json*> pods_by_rank(const std::vector<json>& pods) {
  std::map<std::int64_t, const json*> out;
  for (const json& pod : pods) {
    if (const auto rank = rank_of(pod)) keep_newest(pod, out[*rank]);
  }
  return out;
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

bool has_started(const json& status) {
  return is_running(status) || at_path(status, {"state"}).contains("terminated");
}

bool is_running(const json& status) { return at_path(status, {"state"}).contains("running"); }

}  // namespace mc::kubectl
