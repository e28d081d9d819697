#include "tests/pods/container.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "tests/pods/container_root.h"
#include "tests/support/stage.h"

namespace mc::pods {
namespace {

namespace fs = std::filesystem;

constexpr int kStartError = 128;
constexpr int kTimedOut = 124;

void redirect(int from, int to) { require(dup2(from, to) == to, "dup2"); }

// Runs `steps` in a forked child, which never returns from here.
template <class Steps>
[[noreturn]] void child(Steps steps) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    steps();
  } catch (const std::exception& error) {
    const std::string text = std::string("cannot start the container: ") + error.what() + "\n";
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(kStartError);
  }
  _exit(kStartError);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void read_input_and_log(const fs::path& log) {
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  require(in >= 0 && out >= 0, log.string());
  redirect(in, STDIN_FILENO);
  redirect(out, STDOUT_FILENO);
  redirect(out, STDERR_FILENO);
}

// Reads both descriptors to their ends, or until `limit`.
void read_both(const std::array<int, 2>& fds, const std::array<std::string*, 2>& to,
               std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::array<pollfd, 2> items = {{{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}}};
  while (items[0].fd >= 0 || items[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 ||
        poll(items.data(), items.size(), static_cast<int>(left.count())) <= 0) {
      return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].revents == 0) continue;
      std::array<char, 4096> chunk{};
      const ssize_t n = read(items[i].fd, chunk.data(), chunk.size());
      if (n > 0) to.at(i)->append(chunk.data(), static_cast<std::size_t>(n));
      if (n <= 0) items[i].fd = -1;
    }
  }
}

}  // namespace

Container::Container(ContainerSpec spec) : spec_(std::move(spec)) {
  for (const char* part : {"root", "upper", "work"}) fs::create_directories(spec_.folder / part);
  close(open((spec_.folder / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // As fork(), but the child is the first process of new namespaces.
  pid_ = static_cast<pid_t>(
      syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | SIGCHLD, 0, 0, 0, 0));
  require(pid_ >= 0, "clone");
  if (pid_ > 0) return;
  child([this] {
    read_input_and_log(spec_.folder / "log");
    enter_root(spec_);
    become_user(spec_);
    execute(spec_, spec_.argv);
  });
}

Container::~Container() {
  signal(SIGKILL);
  if (!code_) waitpid(pid_, nullptr, 0);
}

std::optional<int> Container::code() {
  int status = 0;
  if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) code_ = code_of(status);
  return code_;
}

void Container::signal(int number) {
  if (!code_) kill(pid_, number);  // not reaped, so the pid is still its own
}

std::string Container::log() const { return test::read_file(spec_.folder / "log"); }

test::Outcome Container::exec(const std::vector<std::string>& argv,
                              std::chrono::seconds limit) const {
  std::array<int, 2> out{}, err{};
  require(pipe2(out.data(), O_CLOEXEC) == 0 && pipe2(err.data(), O_CLOEXEC) == 0, "pipe");
  const pid_t pid = fork();
  require(pid >= 0, "fork");
  if (pid == 0) {
    child([&] {
      redirect(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
      redirect(out[1], STDOUT_FILENO);
      redirect(err[1], STDERR_FILENO);
      const int target = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
      require(setns(target, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS) == 0, "setns");
      const pid_t inside = fork();  // only a child is in the other namespace of processes
      require(inside >= 0, "fork");
      if (inside > 0) {
        int status = 0;
        waitpid(inside, &status, 0);
        _exit(code_of(status));
      }
      become_user(spec_);
      execute(spec_, argv);
    });
  }
  close(out[1]);
  close(err[1]);
  test::Outcome outcome;
  read_both({out[0], err[0]}, {&outcome.out, &outcome.err}, limit);
  close(out[0]);
  close(err[0]);
  int status = 0;
  if (waitpid(pid, &status, WNOHANG) != pid) {
    // Both outputs have ended, or the time is up; the exit code follows at once or never.
    pollfd end{static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0};
    const bool ended = poll(&end, 1, 1000) > 0;
    close(end.fd);
    if (!ended) kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    if (!ended) status = kTimedOut << 8;
  }
  outcome.code = code_of(status);
  return outcome;
}

}  // namespace mc::pods
