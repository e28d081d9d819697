#include <filesystem>
#include <iostream>

#include "e2e/stories/pod_story.h"

// How long a termination by Kubernetes takes, with real Flux. Kubernetes kills after 30 s, and then
// an archive is lost.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;

// Seconds from the request to the end of the pods: under 6 on an idle machine. Those that do not
// end by themselves take 30. CI compiles beside the stories: 10 were seen.
constexpr double kLimit = 20;

class RealFluxTimes : public PodStory {
 protected:
  RealFluxTimes() : PodStory(*shared_) {}

  static void SetUpTestSuite() {
    shared_.emplace();
    state_.emplace();
    for (const std::string name : {"suspended", "stubborn", "launched", "deleted", "evicted"}) {
      const bool ignores = name == "stubborn" || name == "launched";
      const std::string begins = "touch /state/" + name + "; ";
      json cluster =
          minicluster(name, 2, sh((ignores ? R"(trap "" TERM; )" : "") + begins + "sleep 600"),
                      {{"archive", {{"path", "/state/" + name + ".tar"}}}}, Flux::kInImage);
      container(cluster)["launcher"] = name == "launched";
      start(std::move(cluster));
    }
    start(minicluster("shrinks", 3, "", {{"interactive", true}}, Flux::kInImage));
  }
  static void start(json cluster) {
    container(cluster)["volumes"]["state"] = state_->volume("/state");
    shared_->kubectl().must({"apply", "-f", "-"}, cluster.dump());
  }
  static void TearDownTestSuite() {
    shared_.reset();
    state_.reset();
  }

  [[nodiscard]] bool begun(const std::string& name) const {
    const bool found =
        test::eventually([&] { return std::filesystem::exists(state_->path() / name); }, 60s);
    EXPECT_TRUE(found) << everything();
    return found;
  }
  std::vector<std::string> both_pods(const std::string& name) const {
    return {pod_name(name, 0), pod_name(name, 1)};
  }

  // From now until the pods are gone.
  void expect_soon_gone(const std::string& what, const std::vector<std::string>& pods,
                        const test::Stopwatch& watch) const {
    ASSERT_TRUE(gone(pods));
    const double took = watch.seconds();
    std::cout << what << ": pods gone after " << took << " s" << std::endl;
    EXPECT_LT(took, kLimit);
  }
  void expect_archive(const std::string& name) const {
    const auto file = state_->path() / (name + ".tar");
    ASSERT_TRUE(std::filesystem::exists(file)) << everything();
    EXPECT_GT(std::filesystem::file_size(file), 0);
  }

  void suspends(const std::string& name) const {
    ASSERT_TRUE(begun(name));
    const auto pods = both_pods(name);
    const test::Stopwatch watch;
    kubectl.patch("minicluster", name, {{"spec", {{"suspend", true}}}});
    expect_soon_gone("suspend (" + name + ")", pods, watch);
    expect_archive(name);
  }

  inline static std::optional<SharedNamespace> shared_;
  inline static std::optional<NodeFolder> state_;
};

TEST_F(RealFluxTimes, SuspendedPodsAreGoneInSecondsAndTheArchiveIsThere) { suspends("suspended"); }

TEST_F(RealFluxTimes, SoAreThoseOfACommandThatIgnoresTheSignal) { suspends("stubborn"); }

TEST_F(RealFluxTimes, SoAreThoseOfALauncherThatIgnoresTheSignal) { suspends("launched"); }

TEST_F(RealFluxTimes, DeletedPodsAreGoneInSecondsAndTheArchiveIsThere) {
  ASSERT_TRUE(begun("deleted"));
  const auto pods = both_pods("deleted");
  const test::Stopwatch watch;
  kubectl.must({"delete", "minicluster", "deleted", "--wait=false"});
  expect_soon_gone("delete", pods, watch);
  expect_archive("deleted");
}

TEST_F(RealFluxTimes, FollowerThatIsEvictedAloneIsGoneInSeconds) {
  ASSERT_TRUE(begun("evicted"));
  const std::string follower = pod_name("evicted", 1);
  const test::Stopwatch watch;
  kubectl.evict(follower);
  expect_soon_gone("eviction of one follower", {follower}, watch);
}

TEST_F(RealFluxTimes, PodsThatAShrinkTakesAreGoneInSeconds) {
  ASSERT_TRUE(reaches("shrinks", "Ready"));
  const std::vector<std::string> last = {pod_name("shrinks", 1), pod_name("shrinks", 2)};
  const test::Stopwatch watch;
  kubectl.must({"scale", "minicluster", "shrinks", "--replicas=1"});
  expect_soon_gone("shrink from 3 to 1", last, watch);
}

}  // namespace
}  // namespace mc::e2e
