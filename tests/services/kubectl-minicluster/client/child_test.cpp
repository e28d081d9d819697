#include "services/kubectl-minicluster/client/child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using test::eventually;
using test::must;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

bool is_gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

TEST(Child, ItsOutputAndItsCodeAreItsOwn) {
  Child child = must(Child::start(shell("echo out; echo err >&2; cat; exit 7")));
  EXPECT_EQ(read_all(child.out()), "out\n");
  EXPECT_EQ(read_all(child.err()), "err\n");
  EXPECT_EQ(child.wait(), 7);
  EXPECT_EQ(child.wait(), 7);
}

TEST(Child, ItReadsWhatItIsFed) {
  Child child = must(Child::start(shell("cat; exit 3"), {.is_fed = true}));
  const std::string bytes("a\0b\xff\n", 5);
  EXPECT_TRUE(child.feed(bytes));
  child.end_input();
  EXPECT_EQ(read_all(child.out()), bytes);
  EXPECT_EQ(child.wait(), 3);
}

TEST(Child, FeedingOneThatReadsNoMoreFails) {
  std::signal(SIGPIPE, SIG_IGN);
  Child child = must(Child::start(shell("exec 0<&-; echo closed >&2; cat"), {.is_fed = true}));
  std::string said;
  ASSERT_TRUE(read_some(child.err(), said));
  // Its guard may not have closed the pipe yet.
  EXPECT_TRUE(eventually([&] { return !child.feed("more"); }));
}

// What a process prints that has this input and starts a child with its own streams.
std::string shared_streams(const std::string& script, bool is_fed) {
  std::array<int, 2> in{}, out{};
  EXPECT_EQ(::pipe(in.data()) + ::pipe(out.data()), 0);
  EXPECT_EQ(::write(in[1], "ours", 4), 4);
  const pid_t owner = ::fork();
  if (owner == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
    Child child = must(Child::start(shell(script), {.is_fed = is_fed, .shares_streams = true}));
    if (is_fed) child.feed("fed");
    child.end_input();
    const std::string rest = read_all(child.out()) + read_all(child.err());
    ::_exit(rest == "error\n" ? child.wait() : 1);
  }
  for (const int fd : {in[0], in[1], out[1]}) ::close(fd);
  std::string printed = read_all(out[0]);
  ::close(out[0]);
  int status = 0;
  ::waitpid(owner, &status, 0);
  return printed + " " + std::to_string(WEXITSTATUS(status));
}

TEST(Child, ItMayHaveOurStreams) {
  const std::string script = "cat; echo error >&2; exit 7";
  EXPECT_EQ(shared_streams(script, false), "ours 7");
  EXPECT_EQ(shared_streams(script, true), "fed 7");
}

TEST(Child, AProgramThatDoesNotExistEndsAsInAShell) {
  Child child = must(Child::start({"/nonexistent"}));
  EXPECT_EQ(child.wait(), 127);
}

TEST(Child, KillEndsWhatItHasStartedToo) {
  Child child = must(Child::start(shell("sleep 1000 & echo $!; wait")));
  std::string pid;
  ASSERT_TRUE(read_some(child.out(), pid));
  child.kill();
  EXPECT_EQ(child.wait(), 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return is_gone(std::stoi(pid)); }));
}

TEST(Child, DoesNotOutliveAProcessThatIsKilled) {
  const test::TemporaryFolder folder;
  const auto left = folder.path() / "left", pids = folder.path() / "pids";
  std::filesystem::create_directory(left);
  std::ofstream(left / "socket") << "";
  const pid_t owner = ::fork();
  if (owner == 0) {
    // Two of them: neither may keep the other's guard waiting.
    const std::string say = "echo $$ >>" + pids.string() + "; exec sleep 1000";
    const auto one = Child::start(shell(say), {.remove_after = left}),
               two = Child::start(shell(say));
    ::pause();
    ::_exit(one && two ? 0 : 1);
  }
  const auto started = [&] {
    std::ifstream in(pids);
    std::vector<pid_t> out;
    for (pid_t pid = 0; in >> pid;) out.push_back(pid);
    return out;
  };
  EXPECT_TRUE(eventually([&] { return started().size() == 2; }));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  for (const pid_t pid : started()) EXPECT_TRUE(eventually([&] { return is_gone(pid); })) << pid;
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(left); }));
}

}  // namespace
}  // namespace mc::kubectl
