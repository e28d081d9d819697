#include "e2e/stories/pod_story.h"

// The life of a MiniCluster and its end, on a real node.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class Life : public PodStory {
 protected:
  std::string uid(const std::string& name) const {
    return kubectl.get({"minicluster", name}).at("metadata").at("uid");
  }

  // Runs a job over `nodes` ranks from the lead's broker, retried until that many have joined.
  [[nodiscard]] bool runs_on(const std::string& name, int nodes) const {
    Outcome outcome;
    const bool ran = test::eventually(
        [&] {
          outcome = exec(name, 0,
                         ". /mnt/flux/flux-view.sh; flux proxy $fluxsocket timeout 5 flux run -N" +
                             std::to_string(nodes) + " hostname");
          return outcome.code == 0;
        },
        60s);
    EXPECT_TRUE(ran) << outcome.out << outcome.err << everything();
    return ran;
  }
};

// Four sizes, with pods that come and go for each: half a minute.
TEST_F(Life, GrowsShrinksAndGrowsAgainWithTheScaleSubresourceAndRunsJobsOnEachOfFourSizes) {
  apply(minicluster("elastic", 2, "", {{"interactive", true}, {"maxSize", 4}}));
  ASSERT_TRUE(reaches("elastic", "Ready"));
  ASSERT_TRUE(runs_on("elastic", 2));
  for (const int size : {4, 2, 4}) {
    kubectl.must({"scale", "minicluster", "elastic", "--replicas=" + std::to_string(size)});
    if (size == 2) {
      EXPECT_TRUE(test::eventually(
          [&] { return pod("elastic", 2).is_null() && pod("elastic", 3).is_null(); }, 60s))
          << everything();
    }
    ASSERT_TRUE(runs_on("elastic", size));
  }
  EXPECT_EQ(kubectl({"scale", "minicluster", "elastic", "--replicas=9"}).code, 1);
}

// The kubelet's message appears within seconds, and our own messages do not hide it.
TEST_F(Life, VolumeThatIsNotThereIsToldInTheStatusWithinTenSeconds) {
  json cluster = minicluster("mounts", 1, "hostname");
  container(cluster)["volumes"]["settings"] = {{"configMapName", "not-there"},
                                               {"path", "/settings"}};
  json other = minicluster("secretly", 1, "hostname");
  container(other)["volumes"]["credentials"] = {{"secretName", "not-there"},
                                                {"path", "/credentials"}};
  apply(cluster);
  apply(other);
  const test::Stopwatch watch;
  for (const char* name : {"mounts", "secretly"}) {
    EXPECT_THAT(ready_becomes(name, "MountFailed", 10s), HasSubstr("not-there"));
  }
  std::cout << "a volume that is not there: told " << watch.seconds() << " s after apply"
            << std::endl;
  kubectl.must({"create", "configmap", "not-there"});
  EXPECT_TRUE(reaches("mounts", "Complete", 180s));  // the kubelet retries at its own pace
}

TEST_F(Life, TheSameNameAgainAtOnceIsAnotherClusterThatRuns) {
  apply(minicluster("again", 2, "sleep 600"));
  ASSERT_TRUE(reaches("again", "Ready"));
  const std::string before = uid("again");
  kubectl.must({"delete", "minicluster", "again", "--wait=false"});
  ASSERT_TRUE(test::eventually([&] {
    return kubectl({"create", "-f", "-"},
                   minicluster("again", 2, "hostname", {{"tasks", 2}}).dump())
               .code == 0;
  })) << everything();
  EXPECT_NE(uid("again"), before);
  ASSERT_TRUE(reaches("again", "Complete", 90s));
  EXPECT_THAT(log("again", 0), HasSubstr("\nagain-1"));
}

}  // namespace
}  // namespace mc::e2e
