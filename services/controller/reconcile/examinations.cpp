#include "services/controller/reconcile/examinations.h"

#include <utility>

#include "services/controller/reconcile/applied_spec.h"
#include "services/controller/reconcile/flux_defaults.h"

namespace mc::controller {

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
