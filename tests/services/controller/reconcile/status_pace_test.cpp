#include "services/controller/reconcile/status_pace.h"

#include <gtest/gtest.h>

#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

using std::chrono_literals::operator""ms;

const ClusterStatus kBefore = [] {
  ClusterStatus out;
  out.phase = "Starting";
  out.ready = 1;
  out.active = 3;
  return out;
}();

ClusterStatus with(const char* patch) {
  json out = to_json(kBefore);
  out.merge_patch(json::parse(patch));
  return read_status(out);
}

class StatusPaceOfAThousandPods : public testing::Test {
 protected:
  std::chrono::milliseconds wait(const ClusterStatus& after,
                                 std::chrono::milliseconds later) const {
    return pace_.wait("lab/sample", kBefore, after, 1000, start_ + later);
  }

  const StatusPace::Time start_ = StatusPace::Time() + std::chrono::hours(1);
  StatusPace pace_;
};

TEST_F(StatusPaceOfAThousandPods, TheFirstStatusIsWrittenAtOnce) {
  EXPECT_EQ(wait(with(R"({"ready": 2})"), 0ms), 0ms);
}

TEST_F(StatusPaceOfAThousandPods, NumbersAloneWaitForAMillisecondForEachPod) {
  pace_.written("lab/sample", start_);
  EXPECT_EQ(wait(with(R"({"ready": 2, "active": 4, "failed": 1})"), 0ms), 1000ms);
  EXPECT_EQ(wait(with(R"({"ready": 2})"), 900ms), 100ms);
  EXPECT_EQ(wait(with(R"({"ready": 2})"), 1000ms), 0ms);
}

TEST_F(StatusPaceOfAThousandPods, AnyOtherDifferenceIsWrittenAtOnce) {
  pace_.written("lab/sample", start_);
  EXPECT_EQ(wait(with(R"({"phase": "Running", "ready": 2})"), 1ms), 0ms);
  EXPECT_EQ(pace_.wait("lab/sample", ClusterStatus(), kBefore, 1000, start_), 0ms)
      << "no status yet";
}

TEST_F(StatusPaceOfAThousandPods, OtherMiniClustersAreNotHeldUp) {
  pace_.written("lab/other", start_);
  EXPECT_EQ(wait(with(R"({"ready": 2})"), 0ms), 0ms);
}

TEST_F(StatusPaceOfAThousandPods, AMiniClusterThatIsGoneLeavesNothing) {
  pace_.written("lab/sample", start_);
  pace_.forget("lab/sample");
  EXPECT_EQ(wait(with(R"({"ready": 2})"), 0ms), 0ms);
}

TEST(StatusPace, APauseIsBetweenHalfASecondAndFiveSeconds) {
  StatusPace pace;
  const StatusPace::Time start = StatusPace::Time() + std::chrono::hours(1);
  pace.written("lab/sample", start);
  EXPECT_EQ(pace.wait("lab/sample", kBefore, with(R"({"ready": 2})"), 4, start), 500ms);
  EXPECT_EQ(pace.wait("lab/sample", kBefore, with(R"({"ready": 2})"), 100000, start), 5000ms);
}

}  // namespace
}  // namespace mc::controller
