#include <csignal>

#include "tests/integration/job_pods.h"
#include "tests/integration/leaders.h"
#include "tests/integration/story.h"

// A command that may have ended does not run again, whoever deletes the Job, and whatever is down
// then.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

class Once : public Story {
 protected:
  static void SetUpTestSuite() { Stage::get().without_controller(); }

  std::unique_ptr<Service> leader() const { return leaders_.leader(); }

  json cluster(const std::string& name) const { return kubectl.get({"minicluster", name}); }

  // A MiniCluster of one pod that runs, of which the status knows.
  JobPods running(const std::string& name) {
    make(name, {{"size", 1}, {"maxSize", 1}});
    const JobPods pods(kubectl, name);
    EXPECT_TRUE(pods.are(1));
    EXPECT_TRUE(eventually([&] {
      const json job = pods.job();
      return text_at(cluster(name), {"status", "jobid"}) == text_at(job, {"metadata", "uid"});
    })) << cluster(name).dump(2);
    pods.run(0);
    return pods;
  }

  // The Job controller has reported the end.
  [[nodiscard]] bool job_has(const std::string& name, const std::string& type) const {
    return eventually([&] {
      const json job = kubectl.get({"job", name});
      for (const json& condition : at_path(job, {"status", "conditions"})) {
        if (condition["type"] == type && condition["status"] == "True") return true;
      }
      return false;
    });
  }

  // While no controller runs that would make another.
  void delete_job(const std::string& name) const {
    kubectl.must({"delete", "job", name});
    EXPECT_TRUE(kubectl.get({"job", name}).is_null());
  }

  // `phase: reason: message` of the end; "" if it does not come.
  std::string end_of(const std::string& name) const {
    std::string out;
    const bool came = eventually([&] {
      const json status = at_path(cluster(name), {"status"});
      for (const json& condition : at_path(status, {"conditions"})) {
        const std::string type = condition["type"];
        if (type != "Complete" && type != "Failed") continue;
        out = text_at(status, {"phase"}) + ": " + text_at(condition, {"reason"}) + ": " +
              text_at(condition, {"message"});
      }
      return !out.empty();
    });
    return came ? out : "";
  }

  void expect_no_job(const std::string& name) {
    let_the_controller_catch_up(kubectl);
    EXPECT_TRUE(kubectl.get({"job", name}).is_null());
  }

  const Leaders leaders_{kubectl};
};

TEST_F(Once, AJobThatIsDeletedAtItsEndWhileTheControllerIsDownIsToldByItsEvent) {
  struct Case {
    const char* name;
    int code;
    const char* end;
  };
  const auto before = leader();
  constexpr Case kCases[] = {{"well", 0, "Succeeded: CommandSucceeded: "},
                             {"badly", 3, "Failed: CommandFailed: "}};
  std::vector<JobPods> pods;
  for (const Case& c : kCases) pods.push_back(running(c.name));
  before->stop();
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const Case& c = kCases[i];
    pods[i].end(0, c.code);
    ASSERT_TRUE(job_has(c.name, c.code == 0 ? "Complete" : "Failed"));
    ASSERT_TRUE(eventually([&] {
      const json events =
          kubectl.get({"events", "--field-selector=involvedObject.kind=Job,involvedObject.name=" +
                                     std::string(c.name)});
      return events.dump().contains(c.code == 0 ? "\"Completed\"" : "\"PodFailurePolicy\"");
    }));
    delete_job(c.name);
  }
  const auto after = leader();
  for (const Case& c : kCases) {
    const std::string end = end_of(c.name);
    EXPECT_THAT(end, HasSubstr(c.end));
    EXPECT_THAT(end, HasSubstr("its event says so"));
    EXPECT_EQ(end.contains("code 3"), c.code != 0) << end;
    expect_no_job(c.name);
  }
  after->stop();
}

TEST_F(Once, WithoutAnEventNobodyKnowsAndItIsNotRunAgain) {
  const auto before = leader();
  const JobPods pods = running("unknown");
  before->signal(SIGKILL);
  pods.end(0, 0);
  ASSERT_TRUE(job_has("unknown", "Complete"));
  delete_job("unknown");
  kubectl.must({"delete", "events", "--all"});
  const auto after = leader();
  EXPECT_THAT(end_of("unknown"), HasSubstr("Failed: JobLost: "));
  expect_no_job("unknown");
  after->stop();
}

// As a policy of the cluster sets it.
TEST_F(Once, AJobThatKubernetesDeletesAtItsEndHasThatEnd) {
  const auto one = leader();
  for (const int code : {0, 3}) {
    const std::string name = "ttl-" + std::to_string(code);
    const JobPods pods = running(name);
    kubectl.patch("job", name, {{"spec", {{"ttlSecondsAfterFinished", 0}}}});
    pods.end(0, code);
    EXPECT_THAT(end_of(name), HasSubstr(code == 0 ? "Succeeded: " : "Failed: CommandFailed: "));
    EXPECT_TRUE(eventually([&] { return kubectl.get({"job", name}).is_null(); }));
    expect_no_job(name);
  }
  one->stop();
}

TEST_F(Once, AJobThatIsDeletedBeforeItsEndWhileTheControllerRunsIsMadeAgain) {
  const auto one = leader();
  const JobPods pods = running("again");
  const std::string uid = pods.job()["metadata"]["uid"];
  kubectl.must({"delete", "job", "again"});
  EXPECT_TRUE(eventually([&] {
    const std::string now = text_at(kubectl.get({"job", "again"}), {"metadata", "uid"});
    return !now.empty() && now != uid && text_at(cluster("again"), {"status", "jobid"}) == now;
  })) << cluster("again").dump(2);
  one->stop();
}

// As Velero restores it: with its annotations, and without its status.
TEST_F(Once, WhatIsRestoredKeepsItsEndAndARenamedCopyRuns) {
  const auto one = leader();
  running("backup").end(0, 3);
  ASSERT_THAT(end_of("backup"), HasSubstr("Failed: CommandFailed: "));
  ASSERT_TRUE(eventually([&] {
    return !text_at(cluster("backup"), {"metadata", "annotations", "flux-framework.org/end"})
                .empty();
  }));
  json backup = cluster("backup");
  json saved = {
      {"apiVersion", backup["apiVersion"]},
      {"kind", backup["kind"]},
      {"metadata", {{"name", "backup"}, {"annotations", backup["metadata"]["annotations"]}}},
      {"spec", backup["spec"]}};
  kubectl.must({"delete", "minicluster", "backup"});
  create(saved);
  EXPECT_THAT(end_of("backup"), HasSubstr("Failed: CommandFailed: The command ended with code 3"));
  expect_no_job("backup");
  saved["metadata"]["name"] = "copy";
  make_object(saved);
  EXPECT_FALSE(kubectl.get({"job", "copy"}).is_null());
  one->stop();
}

}  // namespace
}  // namespace mc::test
