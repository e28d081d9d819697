#include "services/controller/interpret/gone_job.h"

#include "common/api/model/names.h"
#include "services/controller/cluster/end_text.h"
#include "services/controller/interpret/ends.h"
#include "services/controller/interpret/job_view.h"

namespace mc::controller {
namespace {

std::string recorded_job(const ClusterStatus& status) {
  // Another operator's status lacks this condition.
  return api::find_condition(status.conditions, api::kAccepted) == nullptr ? "" : status.job_id;
}

}  // namespace

std::string started_job(const Observed& observed, const api::MiniCluster& cluster) {
  std::string uid = recorded_job(observed.cluster->status);
  if (!uid.empty() || !observed.gone) return uid;
  const bool could_start = observed.find_config_map(api::config_map_name(cluster)) != nullptr;
  return could_start ? observed.gone->last->metadata.uid : "";
}

bool is_recorded(const MiniCluster& cluster, const Job& job) {
  return recorded_job(cluster.status) == job.metadata.uid;
}

JobBefore job_before(const Observed& observed, const api::MiniCluster& cluster) {
  if (observed.has_unseen_job) return JobBefore::None;
  if (read_end_of(*observed.cluster)) return JobBefore::Ended;
  const std::string uid = started_job(observed, cluster);
  const GoneJob* last = observed.gone ? &*observed.gone : nullptr;
  if (last != nullptr && !uid.empty() && last->last->metadata.uid != uid) {
    last = nullptr;
  }
  if (last != nullptr && (has_ended(*last->last) || failure(observed.pods, runner_of(cluster)))) {
    return JobBefore::Ended;
  }
  if (uid.empty()) return JobBefore::None;
  return last != nullptr && last->seen ? JobBefore::Unfinished : JobBefore::Unknown;
}

bool may_have_ended(const Observed& observed, const api::MiniCluster& cluster) {
  const JobBefore before = job_before(observed, cluster);
  return before == JobBefore::Ended || before == JobBefore::Unknown;
}

std::optional<api::Condition> end_without_job(const Observed& observed,
                                              const api::MiniCluster& cluster) {
  if (job_before(observed, cluster) != JobBefore::Ended) return std::nullopt;
  if (auto end = read_end_of(*observed.cluster)) return end;
  if (!observed.gone) return std::nullopt;
  const Job& job = *observed.gone->last;
  if (auto end = kept_end(job)) return end;
  if (auto end = ended(observed, job, cluster)) return end;
  return failure(observed.pods, runner_of(cluster));
}

}  // namespace mc::controller
