#include "services/controller/reconcile/lost_job.h"

#include <algorithm>
#include <array>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/kube/object.h"
#include "services/controller/interpret/ends.h"

namespace mc::controller {
namespace {

constexpr std::string_view kAfterwards =
    " The Job was deleted before the controller saw that; its event says so.";

// The reasons of the Job controller for the condition Failed, which are those of its events
// (k8s.io/api/batch/v1).
constexpr std::array<std::string_view, 5> kFailures = {
    api::kReasonBackoffLimitExceeded, api::kReasonDeadlineExceeded, "FailedIndexes",
    "MaxFailedIndexesExceeded", "PodFailurePolicy"};

api::Condition failed_by(const json& event, const api::MiniCluster& cluster) {
  const std::string message = text_at(event, {"message"});
  auto end = failure_in(message, api::job_name(cluster), runner_of(cluster));
  if (!end) end = failed_as(text_at(event, {"reason"}), message + ".");
  end->message += kAfterwards;
  return *std::move(end);
}

std::optional<api::Condition> end_in(const json& events, const api::MiniCluster& cluster) {
  for (const json& event : events) {
    const std::string reason = text_at(event, {"reason"});
    if (reason == "Completed") {
      return succeeded("The lead broker's command ended with code 0." + std::string(kAfterwards));
    }
    if (std::ranges::find(kFailures, reason) != kFailures.end()) return failed_by(event, cluster);
  }
  return std::nullopt;
}

// False if there is no Job of this MiniCluster. The one with this uid counts even if somebody took
// it away from its owner: it is not lost.
Result<bool> has_job(const kube::Client& client, const api::MiniCluster& cluster,
                     const std::string& uid) {
  const auto there = client.get(kube::kJobs, cluster.namespace_, api::job_name(cluster));
  if (!there && there.error().kind == ErrorKind::NotFound) return false;
  if (!there) return std::unexpected(there.error());
  return kube::controller_uid(*there) == cluster.uid || kube::metadata_text(*there, "uid") == uid;
}

}  // namespace

Result<std::optional<api::Condition>> end_of_lost_job(const kube::Client& client,
                                                      const api::MiniCluster& cluster,
                                                      const std::string& uid) {
  const auto there = has_job(client, cluster, uid);
  if (!there) return std::unexpected(there.error());
  if (*there) return std::nullopt;
  const auto events = client.list(kube::kEvents, cluster.namespace_,
                                  {.field_selector = "involvedObject.uid=" + uid});
  if (!events) return std::unexpected(events.error());
  if (auto end = end_in(at_path(*events, {"items"}), cluster)) return end;
  return failed_with(api::kReasonJobLost,
                     "The Job was deleted while the controller did not run, so it is unknown how "
                     "the command ended, and it is not run again. To run it again, delete the "
                     "MiniCluster and create it again.");
}

}  // namespace mc::controller
