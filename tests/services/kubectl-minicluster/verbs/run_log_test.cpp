#include "services/kubectl-minicluster/verbs/run_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "tests/services/kubectl-minicluster/verbs/lead_test.h"
#include "tests/services/kubectl-minicluster/verbs/log_server.h"
#include "tests/support/folders.h"
#include "tests/support/stopwatch.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LeadLogTest : public LeadTest {
 protected:
  void SetUp() override {
    fd_ = ::open(out_file().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    make(fd_);
  }
  void TearDown() override {
    log_.reset();
    ::close(fd_);
  }

  std::filesystem::path out_file() const { return folder_.path() / "out"; }
  std::string out() const { return test::text_of(out_file()); }

  void make(int fd) {
    log_.reset();
    output_ = std::make_unique<LogOutput>(fd, fd_, LogOutput::Hooks{[] {}, [] {}});
    log_ = std::make_unique<LeadLog>(server_, PodLog{.ns = "a", .pod = {}, .container = "c"},
                                     *output_, hooks());
  }

  bool until(const std::function<bool()>& done, const std::optional<Lead>& lead, bool is_over) {
    return LeadTest::until(*log_, done, lead, is_over);
  }
  bool completes(const Lead& lead) {
    return until([&] { return log_->is_complete(); }, lead, true);
  }

  const test::TemporaryFolder folder_;
  LogServer server_;
  int fd_ = -1;
  std::unique_ptr<LogOutput> output_;
  std::unique_ptr<LeadLog> log_;
  const Lead running_{"lammps-0-a", "uid-a", 0, false}, ended_{"lammps-0-a", "uid-a", 0, true};
};

TEST_F(LeadLogTest, TheLogOfAContainerThatHasEndedIsReadOnce) {
  server_.answers([](const auto& asked) {
    return LogServer::text(asked,
                           at(1) + "one\n" + at(2) + "minicluster: phase=end\n" + at(3) + "two");
  });
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "one\ntwo");
  EXPECT_THAT(
      server_.paths(),
      ElementsAre(
          "/api/v1/namespaces/a/pods/lammps-0-a/log?container=c&timestamps=true&follow=true"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(LeadLogTest, AStreamThatEndsEarlyIsContinuedWhereItWas) {
  server_.answers([](const auto& asked) {
    if (asked.run == 1)
      return LogServer::text(asked, at(1) + "one\n" + at(2) + "minicluster: x\n" + at(3) + "tw");
    if (asked.run == 2) return LogServer::cut_after(asked, at(3) + "two\n" + at(4) + "th");
    return LogServer::text(asked, at(4) + "three\n");
  });
  ASSERT_TRUE(until([&] { return out().ends_with("three\n"); }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "one\ntwo\nthree\n");
  EXPECT_THAT(said_, ElementsAre("the log of pod lammps-0-a cannot be read: unexpected EOF"));
  EXPECT_THAT(server_.paths()[1], EndsWith("&sinceTime=2026-01-01T00:00:03.000000001Z"));
}

// The kubelet ends a stream at the end of the older file if the container has ended by then, and
// afterwards sends the newer file alone.
TEST_F(LeadLogTest, ALogThatWasRotatedIsContinuedInItsNewFile) {
  server_.answers([](const auto& asked) {
    return LogServer::text(asked, asked.run == 1 ? at(1) + "the older file is longer\n" + at(1) +
                                                       "and has lines of one time\n"
                                                 : at(1) + "short\n" + at(2) + "new\n");
  });
  ASSERT_TRUE(until([&] { return out().ends_with("new\n"); }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "the older file is longer\nand has lines of one time\nnew\n");
}

TEST_F(LeadLogTest, ALeadThatIsMadeAnewGoesOnInTheSameStream) {
  server_.answers([](const auto& asked) {
    return asked.path.contains("lammps-0-a") ? LogServer::silence_after(asked, at(1) + "of a\n")
                                             : LogServer::text(asked, at(1) + "of b\n");
  });
  ASSERT_TRUE(until([&] { return out() == "of a\n"; }, running_, false));
  ASSERT_TRUE(completes({"lammps-0-b", "uid-b", 0, true}));
  EXPECT_EQ(out(), "of a\nof b\n");
  EXPECT_THAT(said_, ElementsAre("the lead was recreated as pod lammps-0-b; its output follows"));
}

TEST_F(LeadLogTest, ALeadThatIsRestartedInItsPodIsSaid) {
  server_.answers([](const auto& asked) {
    return asked.run == 1 ? LogServer::silence_after(asked, at(1) + "first\n")
                          : LogServer::text(asked, at(2) + "second\n");
  });
  ASSERT_TRUE(until([&] { return out() == "first\n"; }, running_, false));
  ASSERT_TRUE(completes({running_.pod, running_.uid, 1, true}));
  EXPECT_EQ(out(), "first\nsecond\n");
  EXPECT_THAT(said_, ElementsAre("the lead was restarted in pod lammps-0-a; its output follows"));
}

// A Job's controller may make one while the Job is being deleted.
TEST_F(LeadLogTest, ALeadThatIsSeenForAMomentDoesNotKeepTheEndWaiting) {
  server_.answers(
      [](const auto& asked) { return LogServer::silence_after(asked, at(1) + "one\n"); });
  ASSERT_TRUE(until([&] { return out() == "one\n"; }, running_, false));
  log_->look(Lead{"lammps-0-b", "uid-b", 0, false}, false, Steady::now());
  EXPECT_TRUE(until([&] { return log_->is_complete(); }, std::nullopt, true));
}

TEST_F(LeadLogTest, ALogThatCannotBeReadDoesNotKeepTheEndWaiting) {
  server_.answers([](const auto&) -> Result<void> {
    return fail(ErrorKind::NotFound,
                "read the log of a/lammps-0-a: 404 NotFound: pods \"lammps-0-a\" not found");
  });
  ASSERT_TRUE(until([&] { return !said_.empty(); }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("pods \"lammps-0-a\" not found")));
}

// It ends the stream without an error, and without a newline.
TEST_F(LeadLogTest, WhatTheKubeletSaysInPlaceOfALogIsSaidOnceAndIsNoOutput) {
  server_.answers([](const auto& asked) {
    return LogServer::text(asked, "unable to retrieve container logs for containerd://0");
  });
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "");
  EXPECT_THAT(said_, ElementsAre("the log of pod lammps-0-a cannot be read: unable to retrieve "
                                 "container logs for containerd://0"));
}

TEST_F(LeadLogTest, ThatItIsGoneAfterItWasReadIsNotSaid) {
  server_.answers([](const auto& asked) {
    return LogServer::text(asked, asked.run == 1
                                      ? at(1) + "one\n"
                                      : "unable to retrieve container logs for containerd://0");
  });
  ASSERT_TRUE(until([&] { return out() == "one\n"; }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "one\n");
  EXPECT_THAT(said_, IsEmpty());
}

// Two streams that end with nothing are no sign that nothing follows.
TEST_F(LeadLogTest, WhatComesAtTheEndAfterSilenceIsRead) {
  server_.answers([](const auto& asked) {
    return LogServer::text(asked, asked.run <= 2 ? "" : at(1) + "result\n");
  });
  int looks = 0;
  ASSERT_TRUE(until([&] { return server_.paths().size() >= 2 && ++looks > 2; }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "result\n");
}

TEST_F(LeadLogTest, ALogThatSaysNothingAfterTheEndIsGivenUp) {
  server_.answers([](const auto& asked) { return LogServer::silence_after(asked, ""); });
  const test::IdleStopwatch watch;
  ASSERT_TRUE(completes(ended_));
  EXPECT_LT(watch.elapsed(), seconds(10));
  EXPECT_THAT(said_,
              ElementsAre("the log of pod lammps-0-a may be incomplete: its end was not received"));
}

TEST_F(LeadLogTest, AClosedOutputEndsIt) {
  server_.answers(LogServer::without_end);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  make(ends[1]);
  ::close(ends[0]);
  EXPECT_TRUE(until([&] { return output_->is_broken(); }, running_, false));
  EXPECT_TRUE(log_->stop(Steady::now() + seconds(5), [&](auto until) { mailbox_.take(until); }));
  ::close(ends[1]);
}

// Writes into a pipe until it is full.
void fill(int pipe) {
  const int flags = ::fcntl(pipe, F_GETFL);
  ::fcntl(pipe, F_SETFL, flags | O_NONBLOCK);
  while (::write(pipe, "x", 1) == 1) continue;
  ::fcntl(pipe, F_SETFL, flags);
}

TEST_F(LeadLogTest, AnOutputThatNobodyReadsIsSaidToBeStuck) {
  server_.answers(LogServer::without_end);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  fill(ends[1]);
  make(ends[1]);
  ASSERT_TRUE(until([&] { return output_->is_writing(); }, running_, false));
  EXPECT_FALSE(
      log_->stop(Steady::now() + milliseconds(300), [&](auto until) { mailbox_.take(until); }));
  ::close(ends[0]);
  log_.reset();
  ::close(ends[1]);
}

TEST_F(LeadLogTest, TenMegabytesArePassedOnByteForByte) {
  server_.answers([](const auto& asked) -> Result<void> {
    std::string piece;
    for (int i = 1; i <= 180'000; ++i) {
      piece +=
          at(1) + "line " + std::to_string(i) + " of the output of a program that prints a lot\n";
      if (piece.size() < 30'000 && i < 180'000) continue;
      asked.send(piece);
      piece.clear();
    }
    return {};
  });
  ASSERT_TRUE(completes(ended_));
  std::string expected;
  for (int i = 1; i <= 180'000; ++i) {
    expected += "line " + std::to_string(i) + " of the output of a program that prints a lot\n";
  }
  EXPECT_TRUE(out() == expected);
}

}  // namespace
}  // namespace mc::kubectl
