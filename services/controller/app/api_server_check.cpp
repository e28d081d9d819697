#include "services/controller/app/api_server_check.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "common/api/examine.h"
#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "common/observe/log.h"
#include "common/render/job.h"
#include "services/controller/reconcile/dropped_paths.h"

namespace mc::controller {
namespace {

constexpr int kTries = 6;
constexpr BackoffPolicy kCheckBackoff{std::chrono::seconds(1), std::chrono::seconds(30)};

// A Job with every field that depends on the API server's version: with followers and a sidecar. It
// has no owner, because there is no MiniCluster.
json sample_job(const std::string& ns) {
  const json cluster = {
      {"metadata",
       {{"name", "minicluster-dry-run"},
        {"namespace", ns},
        {"uid", "00000000-0000-0000-0000-000000000000"}}},
      {"spec",
       {{"size", 2},
        {"containers", json::array({{{"image", "dry-run"}, {"command", "true"}, {"runFlux", true}},
                                    {{"image", "dry-run"}, {"name", "beside"}}})}}}};
  json job = render::job(api::examine(cluster).cluster);
  job["metadata"].erase("ownerReferences");
  return job;
}

}  // namespace

Result<std::vector<DroppedField>> find_dropped_fields(const kube::Client& client,
                                                      const std::string& ns) {
  const json job = sample_job(ns);
  const auto answer = client.send(kube::request::dry_run(kube::request::create(kube::kJobs, job)));
  if (!answer) return std::unexpected(answer.error());
  std::vector<DroppedField> out;
  std::ranges::transform(dropped_paths(job, *answer), std::back_inserter(out), dropped_field);
  return out;
}

void log_dropped_fields(const kube::Client& client, const std::string& ns,
                        const std::stop_token& stop) {
  auto dropped = find_dropped_fields(client, ns);
  for (int failures = 1; failures < kTries && !stop.stop_requested(); ++failures) {
    if (dropped || dropped.error().kind != ErrorKind::Unavailable) break;
    wait(backoff_delay(kCheckBackoff, failures), stop);
    dropped = find_dropped_fields(client, ns);
  }
  if (!dropped) {
    log::warning("Cannot check which fields of Jobs the API server drops",
                 {{"error", dropped.error().message}});
    return;
  }
  for (const DroppedField& field : *dropped) {
    log::warning(
        "The API server drops a field of Jobs",
        {{"field", field.path}, {"consequence", field.consequence}, {"remedy", field.remedy}});
  }
  if (dropped->empty() && log::v(1)) log::info("The API server keeps every field of Jobs");
}

}  // namespace mc::controller
