#include "tests/faults/queue_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "tests/faults/replica.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A made-up audit log: each write is received in its second, answered half a second later, and
// makes a version more.
class MadeUpLog {
 public:
  MadeUpLog& at(int second) {
    second_ = second;
    return *this;
  }

  MadeUpLog& setup(int pods) {
    const json spec = {{"hard", {{"pods", std::to_string(pods)}}}};
    return add("admin", "patch", "fluxsetups", "site", {{"kind", "FluxSetup"}, {"spec", spec}});
  }
  // The leader publishes that this is the limit, or with 0 that nothing is limited.
  MadeUpLog& known(int pods) {
    const json limits = {{"hard", {{"pods", std::to_string(pods)}}}};
    json map = {{"kind", "ConfigMap"}};
    if (pods > 0) map["data"]["limits.json"] = limits.dump();
    return add(kReplica, "patch", "configmaps", "minicluster-limits", map);
  }
  // Long before what follows.
  MadeUpLog& limit(int pods) {
    setup(pods).known(pods);
    second_ += 10;
    return *this;
  }

  MadeUpLog& job(const std::string& name, int size, bool runs, const std::string& by = kReplica) {
    json object = {{"kind", "Job"}, {"spec", {{"parallelism", size}, {"suspend", !runs}}}};
    const bool waits = !runs || by != kReplica;
    if (waits) object["metadata"]["annotations"][api::kQuotaAnnotation] = api::kWaitsForQuota;
    return add(by, "patch", "jobs", name, object);
  }
  // Of the Job x, for x-1.
  MadeUpLog& pod(const std::string& name, const std::string& verb = "create",
                 const json& status = json::object(), const json& metadata = json::object()) {
    json object = {{"kind", "Pod"}, {"metadata", metadata}, {"status", status}};
    object["metadata"]["ownerReferences"] = {{{"kind", "Job"}, {"name", name.substr(0, 1)}}};
    return add("kube-controller-manager", verb, "pods", name, object);
  }
  MadeUpLog& pods(const std::string& job, int from, int to) {
    for (int i = from; i <= to; ++i) pod(job + "-" + std::to_string(i));
    return *this;
  }

  // What the status of x says. Times are seconds of this log; 0: none.
  MadeUpLog& status(const std::string& name, int promised, const std::string& reason,
                    const std::string& message, int generation = 1) {
    const json quota = {{"type", "QuotaReserved"}, {"reason", reason}, {"message", message}};
    json status = {{"observedGeneration", generation},
                   {"positionInQueue", 1},
                   {"conditions", json::array({quota})}};
    if (promised > 0) status["promisedStartTime"] = time(promised);
    return add(kReplica, "patch", "miniclusters", name,
               {{"kind", "MiniCluster"}, {"status", status}}, "status");
  }
  MadeUpLog& promise(const std::string& name, int start) {
    return status(name, start, "Waiting",
                  "Place 1. It starts at " + time(start) + " at the latest.");
  }
  MadeUpLog& deletion(const std::string& name) {
    return add("user", "delete", "miniclusters", name, nullptr);
  }
  MadeUpLog& job_deletion(const std::string& name) {
    return add("garbage-collector", "delete", "jobs", name, nullptr);
  }
  // The API server failed.
  MadeUpLog& failure(const std::string& verb, const std::string& pod) {
    return add("kube-controller-manager", verb, "pods", pod, nullptr, "", 500);
  }

  static std::string time(int second) {
    return rfc3339(std::chrono::sys_seconds(std::chrono::seconds(1'800'000'000 + second)));
  }

  std::vector<std::string> blamed() const {
    const TemporaryFolder folder;
    std::ofstream(folder / "audit.log") << text_;
    return blame_queue(folder / "audit.log", "lab");
  }

  static constexpr const char* kReplica = "minicluster-controller/replica-1";

 private:
  MadeUpLog& add(const std::string& agent, const std::string& verb, const std::string& resource,
                 const std::string& name, json object, const std::string& subresource = "",
                 int code = 200) {
    std::string second = time(second_);
    second.pop_back();
    json event = {{"requestReceivedTimestamp", second + ".000000Z"},
                  {"stageTimestamp", second + ".500000Z"},
                  {"userAgent", agent},
                  {"verb", verb},
                  {"objectRef",
                   {{"namespace", "lab"},
                    {"resource", resource},
                    {"name", name},
                    {"subresource", subresource}}},
                  {"responseStatus", {{"code", code}}}};
    if (object.is_object()) {
      object["metadata"]["name"] = name;
      object["metadata"]["resourceVersion"] = std::to_string(++version_);
      event["responseObject"] = std::move(object);
    }
    text_ += event.dump() + "\n";
    return *this;
  }

  int second_ = 1, version_ = 100;
  std::string text_;
};

// What it says after the first pod, without which the log says nothing.
MadeUpLog after_a_pod() { return MadeUpLog().limit(9).job("o", 1, true).pod("o-1"); }

TEST(QueueAudit, BlamesNobodyWhoKeepsTheLimit) {
  EXPECT_THAT(MadeUpLog()
                  .limit(4)
                  .job("a", 2, true)
                  .job("b", 2, true)
                  .pods("a", 1, 2)
                  .pods("b", 1, 2)
                  .pod("a-1", "patch", {{"phase", "Succeeded"}})
                  .pod("a-2", "delete", {}, {{"deletionTimestamp", "then"}})
                  .job("c", 2, true)
                  .pods("c", 1, 2)
                  .blamed(),
              ElementsAre());
}

TEST(QueueAudit, BlamesAPodPastTheLimit) {
  EXPECT_THAT(MadeUpLog().limit(3).job("a", 4, true).pods("a", 1, 4).blamed(),
              ElementsAre(HasSubstr("pods/a-4: 4 pods are more than the limit of 3")));
  EXPECT_THAT(MadeUpLog()
                  .limit(3)
                  .job("a", 2, true)
                  .job("b", 2, true)
                  .pods("a", 1, 2)
                  .pods("b", 1, 2)
                  .blamed(),
              ElementsAre(HasSubstr("pods/b-2: 4 pods")));
}

TEST(QueueAudit, APodCountsUntilItHasEndedOrIsGone) {
  const json deleted = {{"deletionTimestamp", "then"}, {"finalizers", {"job-tracking"}}};
  EXPECT_THAT(MadeUpLog()
                  .limit(2)
                  .job("a", 2, true)
                  .pods("a", 1, 2)
                  .pod("a-1", "delete", {{"phase", "Running"}}, deleted)
                  .job("b", 1, true)
                  .pod("b-1")
                  .blamed(),
              ElementsAre(HasSubstr("pods/b-1: 3 pods")));
  // It may be gone.
  EXPECT_THAT(MadeUpLog()
                  .limit(2)
                  .job("a", 2, true)
                  .pods("a", 1, 2)
                  .failure("delete", "a-1")
                  .job("b", 1, true)
                  .pod("b-1")
                  .blamed(),
              ElementsAre());
}

TEST(QueueAudit, OneThatWasAllowedBeforeTheLeaderKnewMayPassALowerLimit) {
  const auto log = [](int known, int allowed) {
    MadeUpLog out = MadeUpLog().limit(4);
    out.at(10).setup(2).at(known).known(2);
    return out.at(allowed).job("a", 4, true).at(allowed + 9).pods("a", 1, 4).blamed();
  };
  EXPECT_THAT(log(20, 15), ElementsAre()) << "it did not know it";
  EXPECT_THAT(log(20, 23), ElementsAre()) << "the request was on its way";
  EXPECT_THAT(log(20, 30), ElementsAre(HasSubstr("pods/a-3: 3 pods are more than the limit of 2"),
                                       HasSubstr("pods/a-4: 4 pods")));
}

TEST(QueueAudit, AGrowthIsJudgedByTheLimitsSinceItWasAllowed) {
  MadeUpLog log = MadeUpLog().limit(4);
  log.at(10).job("a", 2, true).at(20).limit(2).at(30).pods("a", 1, 2);
  EXPECT_THAT(MadeUpLog(log).blamed(), ElementsAre());
  EXPECT_THAT(log.at(40).job("a", 3, true).pod("a-3").blamed(),
              ElementsAre(HasSubstr("pods/a-3: 3 pods are more than the limit of 2")));
}

TEST(QueueAudit, AJobHasNoMorePodsThanItMayHave) {
  EXPECT_THAT(MadeUpLog().limit(9).job("a", 1, true).pods("a", 1, 2).blamed(),
              ElementsAre(HasSubstr("pods/a-2: 2 pods of a Job of 1")));
}

TEST(QueueAudit, AJobThatBecameSmallerMayGetAPodMoreForAMoment) {
  const auto log = [](int created) {
    MadeUpLog out = MadeUpLog().limit(9);
    return out.job("a", 2, true).at(20).job("a", 1, true).at(created).pods("a", 1, 2).blamed();
  };
  EXPECT_THAT(log(79), ElementsAre());
  EXPECT_THAT(log(81), ElementsAre(HasSubstr("pods/a-2: 2 pods of a Job of 1")));
}

TEST(QueueAudit, PodsOfAJobThatOthersResumedCountOnceAReplicaResumesIt) {
  MadeUpLog log = MadeUpLog().limit(2);
  log.job("a", 2, false).job("a", 2, true, "somebody").job("b", 2, true);
  log.pods("a", 1, 2).pods("b", 1, 2);
  EXPECT_THAT(MadeUpLog(log).blamed(), ElementsAre());
  EXPECT_THAT(log.job("a", 2, false).job("a", 2, true).job("c", 1, true).pod("c-1").blamed(),
              ElementsAre(HasSubstr("pods/c-1: 5 pods")));
}

TEST(QueueAudit, PodsThatTheLeaderCouldNotSeeBeforeTheirJobWasDeletedDoNotCount) {
  const auto log = [](int deleted) {
    MadeUpLog out = MadeUpLog().limit(2);
    out.at(20).job("a", 2, true).pods("a", 1, 2).at(deleted).job_deletion("a");
    return out.job("b", 2, true).pods("b", 1, 2).blamed();
  };
  EXPECT_THAT(log(21), ElementsAre());
  EXPECT_THAT(log(23), ElementsAre(HasSubstr("pods/b-1: 3 pods"), HasSubstr("pods/b-2: 4 pods")));
}

TEST(QueueAudit, WithoutAFluxSetupNothingIsLimited) {
  MadeUpLog log = MadeUpLog().limit(1);
  log.at(100).known(0).at(110).job("a", 3, true).pods("a", 1, 3);
  EXPECT_THAT(log.blamed(), ElementsAre());
}

TEST(QueueAudit, BlamesLimitsThatNoFluxSetupHad) {
  EXPECT_THAT(after_a_pod().known(7).blamed(), ElementsAre(HasSubstr("has a limit of 7")));
}

TEST(QueueAudit, APromiseIsKeptOrToldToBeLate) {
  EXPECT_THAT(after_a_pod().promise("a", 50).promise("a", 40).job("a", 1, true).blamed(),
              ElementsAre());
  EXPECT_THAT(after_a_pod()
                  .promise("a", 50)
                  .status("a", 50, "StartDelayed", "Place 1.")
                  .at(99)
                  .promise("b", 120)
                  .blamed(),
              ElementsAre());
  EXPECT_THAT(after_a_pod().promise("a", 50).promise("a", 60).blamed(),
              ElementsAre(HasSubstr("it was promised " + MadeUpLog::time(50) + ", and now")));
  EXPECT_THAT(after_a_pod().promise("a", 50).status("a", 0, "Waiting", "Place 1.").blamed(),
              ElementsAre(HasSubstr("and now \"\"")));
  EXPECT_THAT(after_a_pod().promise("a", 50).status("a", 50, "Waiting", "Place 1.").blamed(),
              ElementsAre(HasSubstr("and is told: Place 1.")));
}

TEST(QueueAudit, APromiseEndsWithItsSpec) {
  EXPECT_THAT(after_a_pod().promise("a", 50).status("a", 0, "Waiting", "Place 2.", 2).blamed(),
              ElementsAre());
}

TEST(QueueAudit, AStartThatWasToldAndDoesNotComeIsToldToBeLate) {
  const auto told = [](int second) { return after_a_pod().promise("a", 50).at(second); };
  const auto silent = ElementsAre(HasSubstr("a was told to start at " + MadeUpLog::time(50)));
  const std::string why =
      "It starts once the MiniClusters that are past their deadline have stopped.";
  EXPECT_THAT(told(100).job("a", 1, true).blamed(), silent);
  EXPECT_THAT(told(100).status("a", 50, "StartDelayed", "Place 1.").blamed(), silent);
  EXPECT_THAT(told(100).known(9).blamed(), silent);
  const auto by_a_late_clock = [] { return after_a_pod().at(200).promise("a", 50); };
  EXPECT_THAT(by_a_late_clock().at(225).job("a", 1, true).blamed(), ElementsAre());
  EXPECT_THAT(by_a_late_clock().at(240).job("a", 1, true).blamed(), silent);
  EXPECT_THAT(told(60).job("a", 1, true).at(100).known(9).blamed(), ElementsAre());
  EXPECT_THAT(told(40).deletion("a").at(100).known(9).blamed(), ElementsAre());
  EXPECT_THAT(told(60).status("a", 50, "Waiting", "Place 1. " + why).at(100).known(9).blamed(),
              ElementsAre());
}

TEST(QueueAudit, ALogWithoutPodsSaysNothing) {
  EXPECT_THAT(MadeUpLog().limit(1).blamed(), ElementsAre(HasSubstr("no pod was created")));
}

}  // namespace
}  // namespace mc::test
