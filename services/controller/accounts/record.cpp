#include "services/controller/accounts/record.h"

#include <algorithm>

namespace mc::controller::accounts {
namespace {

std::string account_of(const Shared<MiniCluster>& cluster) {
  return cluster == nullptr ? std::string() : std::string(cluster->account);
}

std::string result_of(const EndedRun& run) {
  const auto* end = run.cluster == nullptr ? nullptr : final_condition(run.cluster->status);
  if (end != nullptr) return end->type == api::kComplete ? api::kRunSucceeded : api::kRunFailed;
  if (run.job->conditions.complete) return api::kRunSucceeded;
  return is_over(*run.job) ? api::kRunFailed : api::kRunDeleted;
}

// Who did not see the pods get their nodes knows only when the Job controller created them.
std::optional<Time> start_of(const EndedRun& run) {
  if (run.placed) return run.placed;
  const bool has_run = run.may_be_there || run.job->conditions.complete;
  return has_run ? run.job->started : std::nullopt;
}

api::ResourceSeconds resource_seconds(const Job& job, std::int64_t pod_seconds) {
  api::ResourceSeconds out;
  for (const auto& [name, amount] : job.requests) {
    const double each = static_cast<double>(amount.nano()) / 1e9;
    if (each > 0) out[name] = each * static_cast<double>(pod_seconds);
  }
  return out;
}

}  // namespace

api::RunRecord record_of(const EndedRun& run) {
  const Job& job = *run.job;
  const auto started = start_of(run);
  const Time created = job.metadata.created.value_or(run.end);
  const auto waited = started.value_or(run.end) - created;
  return {.job = job.metadata.uid,
          .name = job.metadata.name,
          .cluster = job.metadata.owner.uid.str(),
          .account = account_of(run.cluster),
          .pods = job.parallelism.value_or(1),
          .created = job.metadata.created,
          .started = started,
          .ended = run.end,
          .result = result_of(run),
          .exit_code = run.cluster == nullptr ? std::nullopt : run.cluster->status.exit_code,
          .use = {.pod_seconds = run.pod_seconds,
                  .resource_seconds = resource_seconds(job, run.pod_seconds),
                  .wait_seconds = std::max<std::int64_t>(waited.count(), 0),
                  .preemptions = run.preemptions,
                  .lost_pod_seconds = run.lost_pod_seconds}};
}

}  // namespace mc::controller::accounts
