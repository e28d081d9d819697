#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/conditions.h"
#include "services/controller/reconcile/job_change.h"
#include "services/controller/status/events.h"
#include "services/controller/status/status.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/support/messages.h"

// The status of what was seen, for the tests of its parts.
namespace mc::controller {

inline constexpr const char* kNow = "2026-01-01T00:00:00Z";
inline constexpr const char* kLater = "2026-01-01T00:01:00Z";

inline Time at(const char* time) { return *read_time(json(time), {}); }

// `Status Reason: message`.
inline std::string said(const json& condition) {
  return condition["status"].get<std::string>() + " " + condition["reason"].get<std::string>() +
         ": " + condition["message"].get<std::string>();
}

inline json status_of(const Observed& seen, Outcome outcome = {}, const char* now = kNow) {
  const api::Examination examination = test::examined(seen);
  outcome.not_applied = job_change(seen, examination).errors;
  json out = to_json(status(seen, examination, outcome, at(now)));
  for (const json& each : out["conditions"]) {
    // A test's own, from before, may have no message. The last two repeat that of another one.
    if (!each.contains("message") || each["type"] == api::kReconciling ||
        each["type"] == api::kStalled)
      continue;
    mc::test::collect_message("Conditions of a MiniCluster",
                              each["type"].get<std::string>() + " " + said(each));
  }
  return out;
}

inline std::vector<StatusEvent> events_of(const json& before, const json& after) {
  return events(read_status(before), read_status(after));
}

// `Status Reason: message` of one condition; "" if there is none.
inline std::string condition(const json& of, std::string_view type) {
  const json* found = api::find_condition(of["conditions"], type);
  return found == nullptr ? "" : said(*found);
}

inline constexpr const char* kReadyPod =
    R"({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})";

// `seen` with `count` ready pods.
inline Observed with_ready_pods(Observed seen, int count) {
  for (int i = 0; i < count; ++i) {
    seen.pods.push_back(test::pod(std::to_string(i).c_str(), kReadyPod));
  }
  return seen;
}

inline json member_of(const json& of, const char* type, const char* member) {
  return (*api::find_condition(of["conditions"], type))[member];
}

inline json member_of_accepted(const json& of, const char* member) {
  return member_of(of, "Accepted", member);
}

// A suspended Job of sample with `job_patch`, and its Workload from Kueue.
inline Observed in_queue(const char* job_patch) {
  json job = test::job(R"({"spec": {"suspend": true}})");
  job.merge_patch(json::parse(job_patch));
  Observed seen = test::observed(test::cluster(), {job});
  seen.workloads.push_back(std::make_shared<const Workload>(
      Workload{.metadata = {}, .why = {"Inadmissible", "LocalQueue x doesn't exist"}}));
  return seen;
}

}  // namespace mc::controller
