#include "services/kubectl-minicluster/client/stop_requests.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "services/kubectl-minicluster/client/mailbox.h"

namespace mc::kubectl {
namespace {

using std::chrono::seconds;

std::vector<int> signals_in(Mailbox& mailbox, seconds limit) {
  return mailbox.take(std::chrono::steady_clock::now() + limit).signals;
}

// While it exists, signals act as usual, also if whoever started the test has them ignored, as a
// script does in the background.
class SignalsActAsUsual {
 public:
  SignalsActAsUsual() { swap(SIG_DFL, SIG_DFL, SIG_DFL); }
  ~SignalsActAsUsual() { swap(interrupt_, quit_, hangup_); }
  SignalsActAsUsual(const SignalsActAsUsual&) = delete;
  SignalsActAsUsual& operator=(const SignalsActAsUsual&) = delete;

 private:
  using Handler = void (*)(int);
  void swap(Handler interrupt, Handler quit, Handler hangup) {
    interrupt_ = std::signal(SIGINT, interrupt);
    quit_ = std::signal(SIGQUIT, quit);
    hangup_ = std::signal(SIGHUP, hangup);
  }

  Handler interrupt_ = SIG_DFL, quit_ = SIG_DFL, hangup_ = SIG_DFL;
};

TEST(StopRequests, SignalsBecomeMailAndActAgainAfterwards) {
  const SignalsActAsUsual usual;
  Mailbox mailbox;
  {
    const StopRequests requests([&](int signal) { mailbox.signal(signal); });
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
      ::kill(::getpid(), signal);
      EXPECT_EQ(signals_in(mailbox, seconds(10)), std::vector{signal});
    }
  }
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
}

// The exit code of a process that does this and then waits.
int code_after(void (*act)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    const SignalsActAsUsual usual;
    const StopRequests requests(end_at_once);
    act();
    Mailbox().take();
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StopRequests, EndWithTheCodeOfAShell) {
  EXPECT_EQ(code_after([] { ::kill(::getpid(), SIGINT); }), 130);
  EXPECT_EQ(code_after([] { ::kill(::getpid(), SIGTERM); }), 143);
}

TEST(StopRequests, AStandardOutputThatNobodyReadsIsABrokenPipe) {
  EXPECT_EQ(code_after([] {
              std::array<int, 2> ends{};
              if (::pipe(ends.data()) != 0) ::_exit(1);
              ::dup2(ends[1], STDOUT_FILENO);
              ::close(ends[1]);
              ::close(ends[0]);
            }),
            141);
}

TEST(Mailbox, AThreadWakesTheOneThatWaits) {
  Mailbox mailbox;
  const std::jthread other([&] { mailbox.wake(); });
  EXPECT_TRUE(mailbox.take().woken);
}

using Hangup = void (*)(int);

// Reports the signal that it is told when its parent ends; 0: none in time.
[[noreturn]] void await_end_of_parent(Hangup hangup, StopRequests::From from, int report) {
  std::signal(SIGHUP, hangup);
  Mailbox mailbox;
  const StopRequests requests([&](int signal) { mailbox.signal(signal); }, from);
  const char ready = 'r';
  (void)!::write(report, &ready, 1);
  const bool is_told = hangup == SIG_DFL && from == StopRequests::From::All;
  const auto signals = signals_in(mailbox, seconds(is_told ? 5 : 2));
  const char signal = static_cast<char>(signals.empty() ? 0 : signals.front());
  (void)!::write(report, &signal, 1);
  ::_exit(0);
}

// What a process whose parent is killed is told.
int told_after_end_of_parent(Hangup hangup, StopRequests::From from = StopRequests::From::All) {
  std::array<int, 2> report{};
  EXPECT_EQ(::pipe(report.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::fork() == 0) await_end_of_parent(hangup, from, report[1]);
    ::pause();
    ::_exit(0);
  }
  ::close(report[1]);
  char told = -1;
  EXPECT_EQ(::read(report[0], &told, 1), 1);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_EQ(::read(report[0], &told, 1), 1);
  ::close(report[0]);
  return told;
}

TEST(StopRequests, TheEndOfTheParentIsAHangup) {
  EXPECT_EQ(told_after_end_of_parent(SIG_DFL), SIGHUP);
}

TEST(StopRequests, UnderNohupItIsNot) { EXPECT_EQ(told_after_end_of_parent(SIG_IGN), 0); }

TEST(StopRequests, NorIfOnlySignalsCount) {
  EXPECT_EQ(told_after_end_of_parent(SIG_DFL, StopRequests::From::SignalsOnly), 0);
}

}  // namespace
}  // namespace mc::kubectl
