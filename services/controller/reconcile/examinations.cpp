#include "services/controller/reconcile/examinations.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/digest.h"
#include "common/flux/hostlist.h"
#include "services/controller/reconcile/flux_defaults.h"
#include "services/controller/reconcile/gang.h"

namespace mc::controller {
namespace {

// The MiniCluster with the maxSize that its Job was created with, if the spec has none.
json with_ceiling(json cluster, const Job* job) {
  if (job == nullptr) return cluster;
  const std::string& made = job->notes.max_size;
  const json& given = at_path(cluster, {"spec", "maxSize"});
  if (made.empty() || !given.is_null() || !at_path(cluster, {"spec"}).is_object()) return cluster;
  const json number = json::parse(made, nullptr, false);
  if (number.is_number_integer()) cluster["spec"]["maxSize"] = number;
  return cluster;
}

// The digests that the Job has of the sizes of bursted clusters without one, each with the places
// of its clusters in the list.
std::map<std::string, std::vector<std::size_t>> burst_digests(const json& cluster, const Job& job) {
  std::map<std::string, std::vector<std::size_t>> out;
  const json::array_t& clusters = items_at(cluster, {"spec", "flux", "bursting", "clusters"});
  if (clusters.empty()) return out;
  const json made = json::parse(job.notes.spec.str(), nullptr, false);
  const api::FieldPath path = api::kSpec / "flux" / "bursting" / "clusters";
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (!clusters[i].is_object() || integer_at(clusters[i], {"size"}) != 0) continue;
    const std::string digest = text_at(made, {(path[i] / "size").str()});
    if (!digest.empty()) out[digest].push_back(i);
  }
  return out;
}

// The MiniCluster in which bursted clusters without a size have the one that they had when the Job
// was created: an earlier version used spec.size, and the Job has only its digest.
json with_burst_sizes(json cluster, const Job* job) {
  if (job == nullptr) return cluster;
  auto wanted = burst_digests(cluster, *job);
  const std::int64_t most = integer_at(cluster, {"spec", "maxSize"});
  for (std::int64_t size = std::min<std::int64_t>(most, flux::kMaxHosts);
       size > 0 && !wanted.empty(); --size) {
    const auto found = wanted.find(fnv1a_hex(std::to_string(size)));
    if (found == wanted.end()) continue;
    for (const std::size_t i : found->second) {
      cluster["spec"]["flux"]["bursting"]["clusters"][i]["size"] = size;
    }
    wanted.erase(found);
  }
  return cluster;
}

json with_defaults(json cluster, const json& used) {
  if (!used.empty()) cluster.merge_patch({{"spec", {{"flux", used}}}});
  return cluster;
}

}  // namespace

api::Examination examine(const Observed& observed) {
  const Job* job = observed.find_job();
  json cluster = with_burst_sizes(with_ceiling(as_written(*observed.cluster), job), job);
  api::Examination out =
      api::examine_kind(api::kKind, with_defaults(std::move(cluster), used_defaults(observed)),
                        nullptr, api::FieldValidation::Warn);
  out.cluster.pod_group = gang_choice(observed, out.cluster).group;
  return out;
}

Examinations::Input Examinations::input_of(const Observed& observed) {
  const MiniCluster& cluster = *observed.cluster;
  const Job* job = observed.find_job();
  return {cluster.written,
          job == nullptr ? std::to_string(cluster.size) : job->notes.max_size.str(),
          offered_defaults(observed), observed.gang,
          job == nullptr ? SharedText() : job->notes.pod_group};
}

void Examinations::keep(State& state, const std::string& uid, Known known) {
  if (state.by_uid.insert_or_assign(uid, std::move(known)).second) {
    state.oldest_first.push_back(uid);
  }
  if (state.oldest_first.size() <= kMost) return;
  state.by_uid.erase(state.oldest_first.front());
  state.oldest_first.pop_front();
}

std::shared_ptr<const api::Examination> Examinations::of(const Observed& observed) {
  Input input = input_of(observed);
  const std::string& uid = observed.cluster->metadata.uid;
  auto known = state_.with([&](const State& state) -> std::shared_ptr<const api::Examination> {
    const auto found = state.by_uid.find(uid);
    return found != state.by_uid.end() && found->second.input == input ? found->second.result
                                                                       : nullptr;
  });
  if (known != nullptr) return known;
  api::Examination made = examine(observed);
  made.cluster.more_gpus = gpu_resources_;
  known = std::make_shared<const api::Examination>(std::move(made));
  state_.with([&](State& state) { keep(state, uid, {std::move(input), known}); });
  return known;
}

}  // namespace mc::controller
