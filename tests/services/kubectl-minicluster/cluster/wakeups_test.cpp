#include "services/kubectl-minicluster/cluster/wakeups.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace mc::kubectl {
namespace {

constexpr std::chrono::milliseconds kLong{60'000};

// The exit code of a process that waits until it must end.
int code_of_waiting(void (*before)(pid_t), void (*in_parent)(pid_t)) {
  const pid_t child = ::fork();
  if (child == 0) {
    Wakeups wakeups;
    before(::getpid());
    while (true) {
      if (const auto code = wakeups.wait(kLong)) ::_exit(*code);
    }
  }
  in_parent(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void nothing(pid_t) {}

TEST(Wakeups, AThreadWakesTheOneThatWaits) {
  Wakeups wakeups;
  const std::jthread other([&] { wakeups.wake(); });
  EXPECT_EQ(wakeups.wait(kLong), std::nullopt);
}

TEST(Wakeups, ASignalEndsWithTheCodeOfAShell) {
  EXPECT_EQ(code_of_waiting([](pid_t self) { ::kill(self, SIGINT); }, nothing), 130);
  EXPECT_EQ(code_of_waiting([](pid_t self) { ::kill(self, SIGTERM); }, nothing), 143);
}

TEST(Wakeups, AStandardOutputThatNobodyReadsEndsIt) {
  const auto close_output = [](pid_t) {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(1);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[1]);
    ::close(ends[0]);
  };
  EXPECT_EQ(code_of_waiting(close_output, nothing), 141);
}

TEST(Wakeups, AParentThatIsGoneEndsIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::fork() != 0) {
      char ready = 0;
      ::_exit(::read(ends[0], &ready, 1) == 1 ? 0 : 1);
    }
    Wakeups wakeups;
    const char ready = 1;
    if (::write(ends[1], &ready, 1) != 1) ::_exit(1);
    while (!wakeups.wait(kLong)) {
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  ::waitpid(parent, nullptr, 0);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // the last writer has ended
  ::close(ends[0]);
}

}  // namespace
}  // namespace mc::kubectl
