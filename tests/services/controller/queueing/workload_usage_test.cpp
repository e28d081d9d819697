#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/api/model/pod_requests.h"
#include "services/controller/cluster/read.h"
#include "services/controller/queueing/workload.h"

namespace mc::controller::queueing {
namespace {

using Texts = std::map<std::string, std::string>;

Texts texts(const api::Amounts& amounts) {
  Texts out;
  for (const auto& [name, amount] : amounts) out[name] = amount.str();
  return out;
}

// A Job of 4 pods with a CPU each, with a merge patch applied.
Job job(const char* patch = "{}") {
  json object = json::parse(R"({
    "kind": "Job",
    "spec": {"parallelism": 4, "completions": 4, "template": {"spec": {
      "initContainers": [{"resources": {"requests": {"cpu": "500m"}}}],
      "containers": [{"resources": {"limits": {"cpu": 1}}}]}}}})");
  object.merge_patch(json::parse(patch));
  return read_job(object);
}

// Of a pod that asks for this much CPU.
json pod(const char* cpu, const char* patch = "{}") {
  json object = {{"kind", "Pod"}};
  object["spec"]["containers"] = json::array({{{"resources", {{"requests", {{"cpu", cpu}}}}}}});
  object.merge_patch(json::parse(patch));
  return object;
}

TEST(Demand, IsThatOfAllPodsOfTheJob) {
  EXPECT_EQ(texts(demand_of(job(), nullptr)),
            (Texts{{"cpu", "4"}, {"miniclusters", "1"}, {"pods", "4"}}));
}

// What a services pod with this much CPU requests.
api::Amounts asking(const char* cpu) { return api::pod_requests(pod(cpu)["spec"]); }

TEST(Demand, HasTheServicesPodOnce) {
  const api::Amounts services = asking("250m");
  EXPECT_EQ(texts(demand_of(job(), &services)),
            (Texts{{"cpu", "4250m"}, {"miniclusters", "1"}, {"pods", "5"}}));
}

TEST(Demand, DoesNotDependOnWhatTheJobDoes) {
  for (const char* patch : {R"({"spec": {"suspend": true}})", R"({"status": {"active": 9}})"}) {
    EXPECT_EQ(demand_of(job(patch), nullptr), demand_of(job(), nullptr)) << patch;
  }
}

TEST(Demand, OfAJobWithoutANumberIsThatOfOnePod) {
  EXPECT_EQ(texts(demand_of(job(R"({"spec": {"parallelism": null}})"), nullptr)),
            (Texts{{"cpu", "1"}, {"miniclusters", "1"}, {"pods", "1"}}));
}

TEST(Demand, APodCannotAskForPods) {
  const Job greedy = job(R"({"spec": {"template": {"spec": {"containers": [
      {"resources": {"requests": {"pods": 100, "miniclusters": 100}}}]}}}})");
  EXPECT_EQ(texts(demand_of(greedy, nullptr)),
            (Texts{{"cpu", "2"}, {"miniclusters", "1"}, {"pods", "4"}}));
}

using PodsOf = std::vector<json>;

void add_pods(PodsOf& pods, int count, const json& one) {
  for (int i = 0; i < count; ++i) pods.push_back(one);
}

// `count` pods of the Job, with a merge patch applied.
PodsOf brokers(int count, const char* patch = "{}") {
  json one =
      pod("1", R"({"metadata": {"labels": {"batch.kubernetes.io/job-completion-index": "0"}}})");
  one.merge_patch(json::parse(patch));
  PodsOf out;
  add_pods(out, count, one);
  return out;
}

// Those with a completion index are of the Job.
HeldPods held(const PodsOf& pods) {
  PodTally job, services;
  for (const json& pod : pods) {
    const std::string phase = text_at(pod, {"status", "phase"});
    const bool is_broker = !at_path(pod, {"metadata", "labels"}).is_null();
    if (phase != "Succeeded" && phase != "Failed") {
      (is_broker ? job : services).add(api::pod_requests(at_path(pod, {"spec"})));
    }
  }
  return {.job = job.groups(), .services = services.groups(), .earlier = {}};
}

// As `CPU PODS`; "nothing" if it is empty.
std::string used(const Job* of, const PodsOf& pods, const api::Amounts* services = nullptr) {
  const Texts amounts = texts(usage_of(of, held(pods), services));
  if (amounts.empty()) return "nothing";
  EXPECT_EQ(amounts.at("miniclusters"), "1");
  return amounts.at("cpu") + " " + amounts.at("pods");
}

constexpr const char* kSuspendedBefore =
    R"({"spec": {"suspend": true},
        "status": {"conditions": [{"type": "Suspended", "status": "True"}],
                   "startTime": "2026-01-01T00:00:00Z"}})";

TEST(Usage, OfAJobThatMayCreatePodsIsThatOfAllOfThem) {
  const struct {
    const char *name, *patch, *used;
  } cases[] = {
      {"before the Job controller has seen it", "{}", "4 4"},
      {"while pods are created", R"({"status": {"active": 2}})", "4 4"},
      {"when all run", R"({"status": {"active": 4, "ready": 4}})", "4 4"},
      {"while one that ended waits for its replacement",
       R"({"status": {"active": 3, "failed": 1}})", "4 4"},
      {"while pods are replaced that are being deleted",
       R"({"status": {"active": 4, "terminating": 2}})", "6 6"},
      {"after it became smaller, until the pods are gone",
       R"({"spec": {"parallelism": 1}, "status": {"active": 1, "terminating": 3}})", "4 4"},
      {"while it is suspended, before the Job controller has read so",
       R"({"spec": {"suspend": true},
           "status": {"active": 1, "startTime": "2026-01-01T00:00:00Z"}})",
       "4 4"},
      {"while it is suspended again",
       R"({"spec": {"suspend": true},
           "status": {"startTime": "2026-01-01T00:00:00Z",
                      "conditions": [{"type": "Suspended", "status": "False"}]}})",
       "4 4"},
      {"a status that no API server stores", R"({"status": {"active": -5, "terminating": "x"}})",
       "4 4"},
  };
  for (const auto& c : cases) {
    const Job one = job(c.patch);
    EXPECT_EQ(used(&one, {}), c.used) << c.name;
  }
}

TEST(Usage, OfAJobThatCreatesNoneIsWhatItsPodsStillHold) {
  const struct {
    const char *name, *patch, *used;
  } cases[] = {
      {"created suspended", R"({"spec": {"suspend": true}})", "nothing"},
      {"suspended", kSuspendedBefore, "nothing"},
      {"as it succeeds", R"({"status": {"active": 0, "terminating": 3,
         "conditions": [{"type": "SuccessCriteriaMet", "status": "True"}]}})",
       "3 3"},
      {"as it fails", R"({"status": {"active": 1, "terminating": 1,
         "conditions": [{"type": "FailureTarget", "status": "True"}]}})",
       "2 2"},
      {"after its success", R"({"status": {"succeeded": 4,
         "conditions": [{"type": "Complete", "status": "True"}]}})",
       "nothing"},
      {"after its failure", R"({"status": {"failed": 4,
         "conditions": [{"type": "Failed", "status": "True"}]}})",
       "nothing"},
  };
  for (const auto& c : cases) {
    const Job one = job(c.patch);
    EXPECT_EQ(used(&one, {}), c.used) << c.name;
  }
  Job stopping = job(kSuspendedBefore);
  stopping.terminating = 3;
  EXPECT_EQ(used(&stopping, {}), "3 3");
}

TEST(Usage, APodCountsUntilItHasEndedOrIsGone) {
  constexpr const char* kDeleted =
      R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Running"}})";
  const Job suspended = job(kSuspendedBefore), running = job();
  EXPECT_EQ(used(nullptr, brokers(3, kDeleted)), "3 3") << "their Job is deleted, they end";
  EXPECT_EQ(used(&suspended, brokers(3, kDeleted)), "3 3") << "the status is late";
  EXPECT_EQ(used(&running, brokers(3, kDeleted)), "4 4");
  EXPECT_EQ(used(&running, brokers(6)), "6 6");
  EXPECT_EQ(used(nullptr, brokers(3, R"({"status": {"phase": "Succeeded"}})")), "nothing");
  EXPECT_EQ(used(&running, brokers(3, R"({"status": {"phase": "Failed"}})")), "4 4");
  EXPECT_EQ(used(nullptr, {}), "nothing");
}

TEST(Usage, APodTakesWhatItRequestsItselfAndTheOthersWhatTheTemplateDoes) {
  const Job running = job();
  PodsOf pods = brokers(1, R"({"spec": {"overhead": {"cpu": "100m"}}})");
  EXPECT_EQ(used(&running, pods), "4100m 4") << "a RuntimeClass has added it";
  add_pods(pods, 2, brokers(1).front());
  EXPECT_EQ(used(&running, pods), "4100m 4");
}

TEST(Usage, HasTheServicesPodWhileItExistsOrTheJobRuns) {
  const api::Amounts services = asking("250m");
  const Job running = job(), suspended = job(kSuspendedBefore),
            ended = job(R"({"status": {"conditions": [{"type": "Complete", "status": "True"}]}})");
  EXPECT_EQ(used(&running, brokers(4), &services), "4250m 5") << "it is still to be created";
  EXPECT_EQ(used(&suspended, {}, &services), "nothing");
  EXPECT_EQ(used(&ended, {}, &services), "nothing");
  EXPECT_EQ(used(nullptr, {}, &services), "nothing");
  PodsOf pods = brokers(4);
  add_pods(pods, 1, pod("250m"));
  EXPECT_EQ(used(&running, pods, &services), "4250m 5");
  EXPECT_EQ(used(&running, pods), "4250m 5") << "the spec wants it no more";
  PodsOf alone;
  add_pods(alone, 1, pod("250m"));
  EXPECT_EQ(used(&suspended, alone, &services), "250m 1");
  EXPECT_EQ(used(&ended, alone), "250m 1");
}

TEST(Usage, PodsOfAnEarlierRunAreNotThoseOfTheJob) {
  const api::Amounts services = asking("250m");
  HeldPods earlier;
  earlier.earlier = {{{{"cpu", api::Quantity(1)}}, 4}, {services, 1}};
  const Job running = job();
  const api::Amounts used = usage_of(&running, earlier, &services);
  EXPECT_EQ(texts(used), (Texts{{"cpu", "8500m"}, {"miniclusters", "1"}, {"pods", "10"}}));
}

TEST(Usage, OfARunningJobEqualsItsDemand) {
  const api::Amounts services = asking("250m");
  const Job running = job();
  EXPECT_EQ(usage_of(&running, {}, &services), demand_of(running, &services));
  EXPECT_EQ(usage_of(&running, held(brokers(2)), &services), demand_of(running, &services));
}

}  // namespace
}  // namespace mc::controller::queueing
