#include "services/kubectl-minicluster/verbs/run_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "services/kubectl-minicluster/cluster/mailbox.h"
#include "tests/services/kubectl-minicluster/verbs/kubectl_script.h"
#include "tests/support/folders.h"

namespace mc::kubectl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Steady = std::chrono::steady_clock;

// The script of `kubectl` gets times for lines as the kubelet prints them: $t1 to $t4.
class WithKubectl : public ::testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    fd_ = ::open(out_file().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    make(fd_);
  }
  void TearDown() override {
    log_.reset();
    ::close(fd_);
  }

  std::filesystem::path out_file() const { return script_.path("out"); }
  std::string out() const { return test::text_of(out_file()); }

  void make(int fd) {
    log_.reset();
    output_ = std::make_unique<LogOutput>(fd, fd_, LogOutput::Hooks{[] {}, [] {}});
    log_ = std::make_unique<LeadLog>(
        kubectl_, "c", *output_,
        LeadHooks{[this](const std::string& sentence) { said_.push_back(sentence); },
                  [this] { mailbox_.wake(); }});
  }

  // Looks until `done`, as `run` does.
  bool until(const std::function<bool()>& done, const std::optional<Lead>& lead, bool is_over) {
    const auto limit = Steady::now() + seconds(20);
    while (true) {
      const auto now = Steady::now();
      log_->look(lead, is_over, now);
      if (done()) return true;
      if (now > limit) return false;
      // Nothing tells that a running one has printed something.
      (void)mailbox_.take(std::min(log_->next(), is_over ? limit : now + milliseconds(100)));
    }
  }
  bool completes(const Lead& lead) {
    return until([&] { return log_->is_complete(); }, lead, true);
  }

  const KubectlScript script_{
      "for i in 1 2 3 4; do eval \"t$i='2026-01-01T00:00:0$i.000000001Z '\"; done"};
  const Kubectl kubectl_ = script_.program();
  Mailbox mailbox_;
  std::vector<std::string> said_;
  int fd_ = -1;
  std::unique_ptr<LogOutput> output_;
  std::unique_ptr<LeadLog> log_;
  const Lead running_{"x-0-a", "uid-a", 0, false}, ended_{"x-0-a", "uid-a", 0, true};
};

using LeadLogTest = WithKubectl;

TEST_F(LeadLogTest, TheLogOfAContainerThatHasEndedIsReadOnce) {
  script_.set(R"(printf "${t1}one\n${t2}minicluster: phase=end\n${t3}two")");
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "one\ntwo");
  EXPECT_THAT(script_.runs(), ElementsAre("logs --follow --timestamps x-0-a --container=c"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(LeadLogTest, AStreamThatEndsEarlyIsContinuedWhereItWas) {
  script_.set(R"(case $run in
1) printf "${t1}one\n${t2}minicluster: x\n${t3}tw" ;;
2) printf "${t3}two\n${t4}th"; echo 'error: unexpected EOF' >&2; exit 1 ;;
*) printf "${t4}three\n" ;;
esac)");
  ASSERT_TRUE(until([&] { return out().ends_with("three\n"); }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "one\ntwo\nthree\n");
  EXPECT_THAT(said_, ElementsAre("the log of pod x-0-a cannot be read: unexpected EOF"));
  EXPECT_THAT(script_.runs()[1], EndsWith(" --since-time=2026-01-01T00:00:03.000000001Z"));
}

// The kubelet ends a stream at the end of the older file if the container has ended by then, and
// afterwards sends the newer file alone.
TEST_F(LeadLogTest, ALogThatWasRotatedIsContinuedInItsNewFile) {
  script_.set(R"(case $run in
1) printf "${t1}the older file is longer\n${t1}and has lines of one time\n" ;;
*) printf "${t1}short\n${t2}new\n" ;;
esac)");
  ASSERT_TRUE(until([&] { return out().ends_with("new\n"); }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "the older file is longer\nand has lines of one time\nnew\n");
}

TEST_F(LeadLogTest, ALeadThatIsMadeAnewGoesOnInTheSameStream) {
  script_.set(
      R"(case $4 in x-0-a) printf "${t1}of a\n"; exec sleep 1000 ;; *) printf "${t1}of b\n" ;; esac)");
  ASSERT_TRUE(until([&] { return out() == "of a\n"; }, running_, false));
  ASSERT_TRUE(completes({"x-0-b", "uid-b", 0, true}));
  EXPECT_EQ(out(), "of a\nof b\n");
  EXPECT_THAT(said_, ElementsAre("the lead was made anew as pod x-0-b; its output follows"));
}

// A Job's controller may make one while the Job is being deleted.
TEST_F(LeadLogTest, ALeadThatIsSeenForAMomentDoesNotKeepTheEndWaiting) {
  script_.set(R"(printf "${t1}one\n"; exec sleep 1000)");
  ASSERT_TRUE(until([&] { return out() == "one\n"; }, running_, false));
  log_->look(Lead{"x-0-b", "uid-b", 0, false}, false, Steady::now());
  EXPECT_TRUE(until([&] { return log_->is_complete(); }, std::nullopt, true));
}

TEST_F(LeadLogTest, ALogThatCannotBeReadDoesNotKeepTheEndWaiting) {
  script_.set("echo 'Error from server (NotFound): pods \"x-0-a\" not found' >&2; exit 1");
  ASSERT_TRUE(until([&] { return !said_.empty(); }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("pods \"x-0-a\" not found")));
}

// It ends the stream without an error, and without a newline.
TEST_F(LeadLogTest, WhatTheKubeletSaysInPlaceOfALogIsSaidOnceAndIsNoOutput) {
  script_.set("printf 'unable to retrieve container logs for containerd://0'");
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "");
  EXPECT_THAT(said_, ElementsAre("the log of pod x-0-a cannot be read: unable to retrieve "
                                 "container logs for containerd://0"));
}

TEST_F(LeadLogTest, ThatItIsGoneAfterItWasReadIsNotSaid) {
  script_.set(R"(case $run in
1) printf "${t1}one\n" ;;
*) printf 'unable to retrieve container logs for containerd://0' ;;
esac)");
  ASSERT_TRUE(until([&] { return out() == "one\n"; }, running_, false));
  ASSERT_TRUE(completes(ended_));
  EXPECT_EQ(out(), "one\n");
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(LeadLogTest, ALogThatSaysNothingAfterTheEndIsGivenUp) {
  script_.set("exec sleep 1000");
  const auto began = Steady::now();
  ASSERT_TRUE(completes(ended_));
  EXPECT_LT(Steady::now() - began, seconds(10));
  EXPECT_THAT(said_,
              ElementsAre("the log of pod x-0-a has not come to its end: it may be incomplete"));
}

TEST_F(LeadLogTest, AClosedOutputEndsIt) {
  script_.set("while echo y; do :; done");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  make(ends[1]);
  ::close(ends[0]);
  EXPECT_TRUE(until([&] { return output_->is_broken(); }, running_, false));
  EXPECT_TRUE(log_->stop(Steady::now() + seconds(5), [&](auto until) { mailbox_.take(until); }));
  ::close(ends[1]);
}

TEST_F(LeadLogTest, AnOutputThatNobodyReadsIsSaidToBeStuck) {
  script_.set("while echo y; do :; done");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  make(ends[1]);
  ASSERT_TRUE(until([&] { return output_->is_writing(); }, running_, false));
  EXPECT_FALSE(
      log_->stop(Steady::now() + milliseconds(300), [&](auto until) { mailbox_.take(until); }));
  ::close(ends[0]);
  log_.reset();
  ::close(ends[1]);
}

TEST_F(LeadLogTest, FiftyMegabytesArePassedOnByteForByte) {
  script_.set("seq -f \"${t1}line %.0f of the output of a program that prints a lot\" 1 900000");
  const auto began = Steady::now();
  ASSERT_TRUE(completes(ended_));
  const std::chrono::duration<double> took = Steady::now() - began;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_LT(took, seconds(10));
  EXPECT_EQ(std::filesystem::file_size(out_file()), 51'188'895U);
}

}  // namespace
}  // namespace mc::kubectl
