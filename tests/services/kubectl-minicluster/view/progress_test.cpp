#include "services/kubectl-minicluster/view/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

json condition(const char* type, const char* status, const char* reason,
               const std::string& message) {
  return {{"type", type}, {"status", status}, {"reason", reason}, {"message", message}};
}

json minicluster(const json& conditions, int size = 4) {
  return {{"metadata", {{"name", "lammps"}, {"uid", "u"}}},
          {"spec", {{"size", size}}},
          {"status", {{"conditions", conditions}, {"phase", "Starting"}}}};
}

enum class PodState { Pending, Scheduled, Pulling, Pulled, Running, Ready, Ended };

// As a kubelet reports it.
json pod(int rank, PodState state, const std::string& created = "2026-01-01T00:00:00Z") {
  json out = {{"metadata",
               {{"name", "lammps-" + std::to_string(rank) + "-abcde"},
                {"uid", "pod-" + std::to_string(rank) + created},
                {"creationTimestamp", created},
                {"annotations", {{"long", std::string(1000, 'x')}}},
                {"labels", {{"batch.kubernetes.io/job-completion-index", std::to_string(rank)}}}}},
              {"spec", {{"containers", {{{"name", "lammps"}}}}}},
              {"status", {{"phase", "Pending"}}}};
  if (state == PodState::Pending) return out;
  out["spec"]["nodeName"] = "node-1";
  json flux = {{"name", "lammps"}, {"restartCount", 0}, {"imageID", ""}};
  flux["state"]["waiting"] = {{"reason", "PodInitializing"}};
  if (state >= PodState::Pulled) flux["imageID"] = "sha256:1";
  if (state >= PodState::Running) {
    flux["state"] = {{"running", {{"startedAt", created}}}};
    out["status"]["phase"] = "Running";
  }
  if (state == PodState::Ended) flux["state"] = {{"terminated", {{"exitCode", 0}}}};
  out["status"]["conditions"] = {
      condition("PodScheduled", "True", "", ""),
      condition("Ready", state == PodState::Ready ? "True" : "False", "", "")};
  if (state >= PodState::Pulling) out["status"]["containerStatuses"] = json::array({flux});
  return out;
}

std::vector<json> pods(const std::vector<PodState>& states) {
  std::vector<json> out;
  for (std::size_t i = 0; i < states.size(); ++i)
    out.push_back(reduced_pod(pod(static_cast<int>(i), states[i])));
  return out;
}

const json kStarting = json::array(
    {condition("Ready", "False", "Starting", "The command starts when 4 pods are ready.")});
const json kUnschedulable = {
    condition("Accepted", "True", "Valid", "The spec is valid."),
    condition("Ready", "False", "Unschedulable",
              "pod lammps-2-abcde: 0/2 nodes are available:\n2 Insufficient cpu.")};
const json kWaiting = {
    condition("QuotaReserved", "False", "Waiting", "Place 3 in the queue; 2 CPUs are missing."),
    condition("Ready", "False", "Waiting", "The Job waits for the limits of a FluxSetup.")};
const json kReady =
    json::array({condition("Ready", "True", "QuorumReached", "At least 4 pods are ready.")});
const json kFinishing =
    json::array({condition("Ready", "False", "Finished", "The command has ended.")});

struct Golden {
  const char* what;
  Progress progress;
  std::string line, narrow, wide;
};

std::vector<Golden> goldens() {
  using enum PodState;
  const auto at = [](const json& conditions, const std::vector<PodState>& states) {
    return progress_of(minicluster(conditions), pods(states));
  };
  const auto wide = [](std::size_t done, std::size_t left, const std::string& stage) {
    return "lammps [" + std::string(done, '#') + std::string(left, '-') + "] " + stage;
  };
  return {
      {"created", at(json::array(), {}), "no pods yet",
       "lammps [-----------------------------------------------------------] no pods yet",
       wide(0, 179, "no pods yet")},
      {"some scheduled", at(kUnschedulable, {Scheduled, Pulling, Pending, Pending}),
       "scheduled 2/4, pulled 0/4, ready 0/4",
       "lammps [#####-----------------------------] scheduled 2/4, pulled 0/4, ready 0/4",
       wide(23, 131, "scheduled 2/4, pulled 0/4, ready 0/4")},
      {"some ready", at(kStarting, {Ready, Running, Pulled, Pulling}),
       "scheduled 4/4, pulled 3/4, ready 1/4",
       "lammps [####################--------------] scheduled 4/4, pulled 3/4, ready 1/4",
       wide(94, 60, "scheduled 4/4, pulled 3/4, ready 1/4")},
      {"quorum", at(kReady, {Ready, Ready, Ready, Ready}), "running",
       "lammps [###############################################################] running",
       wide(183, 0, "running")},
      {"about to end", at(kFinishing, {Ended}), "running",
       "lammps [###############################################################] running",
       wide(183, 0, "running")},
  };
}

TEST(Progress, StatesReadAsRecorded) {
  for (const auto& [what, progress, line, narrow, wide] : goldens()) {
    SCOPED_TRACE(what);
    EXPECT_EQ(stage_of(progress), line);
    EXPECT_EQ(bar_of(progress, 80), narrow);
    EXPECT_EQ(narrow.size(), 80U);
    EXPECT_EQ(bar_of(progress, 200), wide);
  }
}

TEST(Progress, ALineIsNeverWiderThanTheTerminal) {
  Progress progress{.name = std::string(63, 'n'), .size = 100'000, .no_pods = false};
  progress.scheduled = progress.pulled = progress.ready = 99'999;
  for (const int columns : {20, 40, 79, 80, 100, 200, 500}) {
    EXPECT_LE(bar_of(progress, columns).size(), static_cast<std::size_t>(columns));
  }
}

TEST(Progress, WhatBlocksItIsToldInTheWordsOfItsConditions) {
  const auto blocked = [](const json& conditions) {
    return progress_of(minicluster(conditions), {}).blocked;
  };
  EXPECT_EQ(blocked(kUnschedulable),
            "Unschedulable: pod lammps-2-abcde: 0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(blocked(kWaiting), "Waiting: Place 3 in the queue; 2 CPUs are missing.");
  for (const json& fine : {kStarting, kReady, kFinishing}) EXPECT_EQ(blocked(fine), "");
  EXPECT_EQ(blocked({condition("Accepted", "False", "Invalid", "spec.size"),
                     condition("ObjectsReady", "False", "NotAccepted", "no")}),
            "Invalid: spec.size");
  EXPECT_EQ(blocked({condition("QuotaReserved", "False", "Suspended", "reserves nothing"),
                     condition("Ready", "False", "Suspended", "spec.suspend is true")}),
            "Suspended: spec.suspend is true");
}

TEST(Progress, TheCommandHasStartedOnceEnoughPodsAreReady) {
  const auto started = [](const json& conditions) {
    return has_command_started(minicluster(conditions));
  };
  for (const json& before : {json::array(), kStarting, kUnschedulable, kWaiting})
    EXPECT_FALSE(started(before)) << before;
  for (const json& after :
       {kReady, kFinishing, json::array({condition("Failed", "True", "CommandFailed", "")}),
        json::array({condition("Complete", "True", "CommandSucceeded", "")})})
    EXPECT_TRUE(started(after)) << after;
  json pod_is_late = minicluster(kStarting);
  pod_is_late["status"]["phase"] = "Running";
  EXPECT_TRUE(has_command_started(pod_is_late));
}

TEST(Progress, WhyItHasNotStartedIsWhatBlocksItOrHowFarItIs) {
  const auto why = [](const json& conditions, const std::vector<PodState>& states) {
    return why_not_started(minicluster(conditions), pods(states));
  };
  EXPECT_EQ(why(kUnschedulable, {PodState::Pending}),
            "Unschedulable: pod lammps-2-abcde: 0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(why(kStarting, {PodState::Pulling}), "scheduled 1/4, pulled 0/4, ready 0/4");
  EXPECT_EQ(why(kStarting, {}), "no pods yet");
  json nobody = minicluster(json::array());
  nobody["status"] = json::object();
  EXPECT_EQ(why_not_started(nobody, {}), "no controller has acted on the MiniCluster");
}

TEST(Progress, PodsThatGoOrAreNotOfTheJobDoNotCount) {
  json failed = pod(0, PodState::Ended);
  failed["status"]["phase"] = "Failed";
  json deleted = pod(1, PodState::Ready);
  deleted["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  json services = pod(2, PodState::Ready);
  services["metadata"].erase("labels");
  const Progress progress = progress_of(minicluster(kStarting), {failed, deleted, services});
  EXPECT_TRUE(progress.no_pods);
  EXPECT_EQ(progress.ready, 0);
}

TEST(Progress, WithManyPodsThereIsALineForEveryTenthOfThem) {
  Progress before{.size = 1000, .no_pods = false}, now = before;
  int lines = 0;
  for (now.scheduled = 1; now.scheduled <= 1000; ++now.scheduled) {
    if (!is_another_line(before, now)) continue;
    ++lines;
    before = now;
  }
  EXPECT_EQ(lines, 10);
  before = now = {.size = 4, .no_pods = false};
  now.ready = 1;
  EXPECT_TRUE(is_another_line(before, now));
  EXPECT_FALSE(is_another_line(now, now));
  before = now = {.size = 4, .no_pods = false, .quorum = true};
  now.no_pods = true;  // the pods end
  now.size = 3;
  EXPECT_FALSE(is_another_line(before, now));
}

TEST(LeadOf, IsTheNewestRunThatHasALog) {
  using enum PodState;
  const json cluster = minicluster(kStarting);
  const auto lead = [&](const std::vector<json>& all) { return lead_of(cluster, all); };
  EXPECT_FALSE(lead({}));
  EXPECT_FALSE(lead({pod(1, Running)}));
  EXPECT_FALSE(lead({pod(0, Pulled)}));
  EXPECT_FALSE(lead({pod(0, Running)})->ended);
  EXPECT_TRUE(lead({pod(0, Ended)})->ended);
  EXPECT_FALSE(lead({pod(0, Ended), pod(0, Pulled, "2026-01-01T00:01:00Z")}));
  const json newer = pod(0, Running, "2026-01-01T00:01:00Z");
  EXPECT_FALSE(lead({pod(0, Ended)})->is_same_run(*lead({pod(0, Ended), newer})));
  json restarted = pod(0, Running);
  restarted["status"]["containerStatuses"][0]["restartCount"] = 1;
  EXPECT_FALSE(lead({restarted})->is_same_run(*lead({pod(0, Running)})));
}

TEST(ReducedPod, HasAllThatIsRead) {
  using enum PodState;
  const json cluster = minicluster(kStarting);
  for (const PodState state : {Pending, Scheduled, Pulling, Pulled, Running, Ready, Ended}) {
    const json whole = pod(0, state), reduced = reduced_pod(whole);
    EXPECT_EQ(progress_of(cluster, {whole}), progress_of(cluster, {reduced}));
    const auto before = lead_of(cluster, {whole}), after = lead_of(cluster, {reduced});
    EXPECT_LT(reduced.dump().size(), 700U);
    ASSERT_EQ(before.has_value(), after.has_value());
    if (!before) continue;
    EXPECT_TRUE(before->pod == after->pod && before->ended == after->ended);
  }
}

}  // namespace
}  // namespace mc::kubectl
