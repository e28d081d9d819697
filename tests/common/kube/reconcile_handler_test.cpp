#include "common/kube/reconcile_handler.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "common/observe/log.h"
#include "common/observe/metrics.h"
#include "tests/common/kube/manual_clock.h"
#include "tests/support/must.h"

namespace mc::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr BackoffPolicy kBackoff{milliseconds(50), seconds(5)};
const std::string kKey = "lab/hello";

class ReconcileHandlerTest : public testing::Test {
 protected:
  ~ReconcileHandlerTest() override { observe::log::set_verbosity(0); }

  // The report of a reconcile with that result, for a key that a worker has taken.
  std::optional<FailedReconcile> run(const std::function<Result<RequeueAfter>()>& reconcile) {
    queue_.add(kKey);
    EXPECT_EQ(queue_.take({}), kKey);
    auto failed = handler_.run(kKey, reconcile);
    queue_.done(kKey);
    return failed;
  }
  std::optional<FailedReconcile> run(const Result<RequeueAfter>& outcome) {
    return run([&] { return outcome; });
  }

  // When the key is requeued, to the millisecond; nothing if it is not.
  std::optional<milliseconds> comes_again() {
    for (milliseconds waited{0}; waited <= seconds(40); ++waited) {
      // take() moves due keys to the ready ones.
      queue_.add("sentinel");
      EXPECT_EQ(queue_.take({}), "sentinel");
      queue_.done("sentinel");
      if (queue_.stats().depth > 0) {
        EXPECT_EQ(queue_.take({}), kKey);
        queue_.done(kKey);
        return waited;
      }
      clock_.advance(milliseconds(1));
    }
    return std::nullopt;
  }

  double metric(const std::string& sample) const {
    const std::string text = registry_.text();
    const std::size_t at = text.find("\n" + sample + " ");
    if (at == std::string::npos) return -1;
    return std::stod(text.substr(at + sample.size() + 2));
  }

  ManualClock clock_;
  observe::Registry registry_{"test"};
  observe::ReconcileMetrics metrics_{registry_, "minicluster", 1};
  WorkQueue queue_{clock_, kBackoff};
  ReconcileHandler handler_{clock_, metrics_, queue_};
};

TEST_F(ReconcileHandlerTest, AfterSuccessItComesAgainWhenItSaysSo) {
  EXPECT_FALSE(run(RequeueAfter()));
  EXPECT_EQ(comes_again(), std::nullopt);
  EXPECT_FALSE(run(RequeueAfter(7)));
  EXPECT_EQ(comes_again(), milliseconds(7));
}

TEST_F(ReconcileHandlerTest, WhatPolicyRefusedComesAgainAfterHalfAMinute) {
  for (const ErrorKind kind : {ErrorKind::Forbidden, ErrorKind::Invalid}) {
    const auto failed = test::must(run(fail(kind, "no")));
    EXPECT_EQ(failed.error.message, "no");
    EXPECT_EQ(failed.delay, seconds(30));
    EXPECT_EQ(comes_again(), seconds(30));
  }
  EXPECT_EQ(metric("controller_runtime_terminal_reconcile_errors_total{controller="
                   "\"minicluster\"}"),
            2);
}

TEST_F(ReconcileHandlerTest, AnotherFailureIsTriedAgainLaterAndLaterUntilASuccess) {
  for (const int delay : {50, 100, 200}) {
    EXPECT_EQ(test::must(run(fail(ErrorKind::Unavailable, "away"))).delay, milliseconds(delay));
    EXPECT_EQ(comes_again(), milliseconds(delay));
  }
  EXPECT_FALSE(run(RequeueAfter()));
  EXPECT_EQ(run(fail(ErrorKind::Unavailable, "away"))->delay, milliseconds(50));
}

TEST_F(ReconcileHandlerTest, ItIsNotTriedAgainBeforeTheServerWantsIt) {
  EXPECT_EQ(run(std::unexpected(Error{ErrorKind::Throttled, "busy", 3}))->delay, seconds(3));
  EXPECT_EQ(comes_again(), seconds(3));
}

TEST_F(ReconcileHandlerTest, ThatSomebodyElseWroteFirstIsNotTold) {
  for (const ErrorKind kind : {ErrorKind::Conflict, ErrorKind::AlreadyExists}) {
    EXPECT_FALSE(run(fail(kind, "changed")));
    EXPECT_TRUE(comes_again());
  }
  EXPECT_EQ(metric("controller_runtime_reconcile_errors_total{controller=\"minicluster\"}"), 0);
  observe::log::set_verbosity(2);
  EXPECT_TRUE(run(fail(ErrorKind::Conflict, "changed")));
}

Result<RequeueAfter> throws() { throw std::runtime_error("key=abc"); }

TEST_F(ReconcileHandlerTest, AnExceptionIsAFailureThatIsTriedAgain) {
  EXPECT_EQ(test::must(run(throws)).error.message, "defect: key=abc");
  EXPECT_EQ(comes_again(), milliseconds(50));
  EXPECT_EQ(metric("controller_runtime_reconcile_panics_total{controller=\"minicluster\"}"), 1);
}

TEST_F(ReconcileHandlerTest, AnExceptionOfAConfidentialReconcileIsNotQuoted) {
  handler_.confidential = true;
  EXPECT_EQ(test::must(run(throws)).error.message, "defect");
}

TEST_F(ReconcileHandlerTest, ReconcilesAreCountedByTheirResultAndTimed) {
  run([&]() -> Result<RequeueAfter> {
    EXPECT_EQ(metric("controller_runtime_active_workers{controller=\"minicluster\"}"), 1);
    clock_.advance(seconds(2));
    return RequeueAfter();
  });
  run(fail(ErrorKind::Unavailable, "away"));
  run(RequeueAfter(7));
  run(RequeueAfter(7));
  run(RequeueAfter(0));
  const auto total = [&](const std::string& result) {
    return metric("controller_runtime_reconcile_total{controller=\"minicluster\",result=\"" +
                  result + "\"}");
  };
  EXPECT_EQ(total("success"), 1);
  EXPECT_EQ(total("error"), 1);
  EXPECT_EQ(total("requeue_after"), 2);
  EXPECT_EQ(total("requeue"), 1);
  EXPECT_EQ(metric("controller_runtime_active_workers{controller=\"minicluster\"}"), 0);
  EXPECT_EQ(metric("controller_runtime_reconcile_time_seconds_sum{controller=\"minicluster\"}"), 2);
}

}  // namespace
}  // namespace mc::kube
