#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"

// A MiniCluster that changes its size while jobs are in its queue, with real Flux.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;

constexpr int kMostPods = 4, kJobsPerChange = 10;

// MINICLUSTER_E2E_SIZES has another number, for `make e2e-nodes`.
int size_changes() {
  const char* const wanted = std::getenv("MINICLUSTER_E2E_SIZES");
  return wanted == nullptr ? 5 : std::stoi(wanted);
}

class RealFluxElastic : public PodStory {
 protected:
  // Each job runs for 2 s and then writes its id down.
  void submit_jobs() const {
    const std::string range = "--cc=1-" + std::to_string(kJobsPerChange);
    EXPECT_EQ(answer("elastic",
                     "flux submit --quiet " + range +
                         " -n1 sh -c 'sleep 2; echo $FLUX_JOB_ID >>/marks/ran' && echo submitted"),
              "submitted");
  }

  static bool is_ending(const json& pod) {
    return pod.at("metadata").contains("deletionTimestamp");
  }
  std::vector<json> pods() const { return kubectl.items({"pods", "-l", "job-name=elastic"}); }

  void scale(int size) const {
    kubectl.must({"scale", "minicluster", "elastic", "--replicas=" + std::to_string(size)});
  }

  // Returns once exactly the pods of that size are there, and none that ends.
  void resize(int size) const {
    scale(size);
    EXPECT_TRUE(test::eventually(
        [&] {
          const auto there = pods();
          return static_cast<int>(there.size()) == size &&
                 std::ranges::all_of(there, [](const json& pod) {
                   return !is_ending(pod) &&
                          pod.value("/status/containerStatuses/0/ready"_json_pointer, false);
                 });
        },
        120s))
        << everything();
  }

  void start(int size, const NodeFolder& marks) const {
    json cluster = minicluster(
        "elastic", size, "",
        {{"interactive", true}, {"maxSize", kMostPods}, {"minSize", 1}, {"drainSeconds", 60}},
        Flux::kInImage);
    container(cluster)["volumes"]["marks"] = marks.volume("/marks");
    apply(cluster);
    ASSERT_TRUE(reaches("elastic", "Ready"));
    flux_answers("elastic", "flux resource list -n -s free -o '{nnodes}'", std::to_string(size));
  }

  void expect_no_job_failed() const {
    EXPECT_EQ(answer("elastic",
                     "flux jobs -a -c 0 -n --filter=failed,canceled,timeout -o '{id}' | "
                     "while read -r id; do flux job eventlog $id; done"),
              "")
        << everything();
  }
};

TEST_F(RealFluxElastic, AtEachChangeOfTheSizeNoJobIsLostAndNoneRunsTwice) {
  const NodeFolder marks;
  start(2, marks);
  const test::Stopwatch watch;
  const int changes = size_changes();
  std::mt19937 random(1);
  int size = 2;
  for (int i = 0; i < changes; ++i) {
    submit_jobs();
    size = (size + static_cast<int>(random() % (kMostPods - 1))) % kMostPods + 1;
    resize(size);
  }
  resize(kMostPods);
  EXPECT_TRUE(test::eventually(
      [&] {
        return answer("elastic", "timeout 10 flux queue idle >/dev/null 2>&1 && echo idle") ==
               "idle";
      },
      120s + changes * 5s))
      << everything();
  std::cout << changes << " changes of the size in " << watch.seconds() << " s" << std::endl;
  const std::vector<std::string> ran = test::lines_of(test::text_of(marks.path() / "ran"));
  const std::set<std::string> once(ran.begin(), ran.end());
  EXPECT_EQ(ran.size(), once.size()) << "none runs twice";
  EXPECT_EQ(once.size(), static_cast<std::size_t>(changes * kJobsPerChange)) << "none is lost";
  expect_no_job_failed();
  flux_answers("elastic", "flux run -N4 echo ran on | wc -l", "4");
}

TEST_F(RealFluxElastic, AGrowthWhilePodsDrainWaitsForThemAndLosesNoJob) {
  const NodeFolder marks;
  start(3, marks);
  EXPECT_EQ(answer("elastic",
                   "flux submit --quiet --cc=1-3 -N1 --exclusive sh -c 'until [ -e /marks/go ]; do "
                   "sleep 0.1; done; echo $FLUX_JOB_ID >>/marks/ran' && echo submitted"),
            "submitted");
  EXPECT_TRUE(test::eventually(
      [&] { return answer("elastic", "flux jobs -n --filter=running -o '{id}' | wc -l") == "3"; }));
  scale(1);
  EXPECT_TRUE(test::eventually([&] { return std::ranges::count_if(pods(), is_ending) == 2; }))
      << everything();
  scale(3);
  std::ofstream(marks.path() / "go") << "\n";
  resize(3);
  EXPECT_TRUE(test::eventually([&] {
    return test::lines_of(test::text_of(marks.path() / "ran")).size() == 3;
  })) << everything();
  expect_no_job_failed();
  flux_answers("elastic", "flux run -N3 echo ran on | wc -l", "3");
}

}  // namespace
}  // namespace mc::e2e
