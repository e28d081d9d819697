#include "services/kubectl-minicluster/client/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

namespace mc::kubectl {
namespace {

// Deletes its arguments, then kills its process group.
constexpr const char* kGuard = R"(read -r _; rm -rf -- "$@"; kill -9 0)";

struct Pipe {
  int read = -1, write = -1;

  // Programs that we start inherit neither end. pipe2 would be atomic, but not every system has it.
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return false;
    read = ends[0];
    write = ends[1];
    return ::fcntl(read, F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(write, F_SETFD, FD_CLOEXEC) == 0;
  }
};

void close_if_open(int fd) {
  if (fd >= 0) ::close(fd);
}

// What both programs need, prepared before fork(): after it, only async-signal-safe functions may
// be called.
struct Plan {
  std::vector<char*> command, guard;
  Pipe in, out, err, life;
  bool is_fed = false, shares_streams = false;
  int nothing = -1;  // /dev/null
};

// The child's side. Never returns.
[[noreturn]] void become(const Plan& plan) {
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  const pid_t guard = ::fork();
  if (guard < 0) ::_exit(126);
  if (guard == 0) {
    ::dup2(plan.life.read, 0);
    ::dup2(plan.nothing, 1);
    ::dup2(plan.nothing, 2);
    ::execv(plan.guard[0], plan.guard.data());
    ::_exit(126);
  }
  if (plan.is_fed || !plan.shares_streams) ::dup2(plan.is_fed ? plan.in.read : plan.nothing, 0);
  // `stty tostop` does not stop it.
  plan.shares_streams ? void(std::signal(SIGTTOU, SIG_IGN)) : void(::dup2(plan.out.write, 1));
  ::dup2(plan.err.write, 2);
  ::execv(plan.command[0], plan.command.data());
  ::_exit(127);
}

}  // namespace

Result<Child> Child::start(const std::vector<std::string>& command, const Options& options) {
  // No other program may inherit our pipes between their creation and FD_CLOEXEC: it would keep
  // them open, and the guard would wait for it.
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);

  std::vector<std::string> words = command;
  std::vector<std::string> guard = {"/bin/sh", "-c", kGuard, "guard"};
  if (!options.remove_after.empty()) guard.push_back(options.remove_after.string());
  Plan plan;
  plan.command = argv_of(words);
  plan.guard = argv_of(guard);
  plan.is_fed = options.is_fed;
  plan.shares_streams = options.shares_streams;
  plan.nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool opened =
      plan.nothing >= 0 && plan.in.open() && plan.out.open() && plan.err.open() && plan.life.open();
  const pid_t pid = opened ? ::fork() : -1;
  if (pid == 0) become(plan);
  const int error = errno;
  for (const int fd : {plan.nothing, plan.in.read, plan.out.write, plan.err.write, plan.life.read})
    close_if_open(fd);
  if (pid < 0) {
    for (const int fd : {plan.in.write, plan.out.read, plan.err.read, plan.life.write})
      close_if_open(fd);
    return fail(ErrorKind::Unavailable, "cannot start " + command[0] + ": " + std::strerror(error));
  }
  ::setpgid(pid, pid);  // whoever is first: kill() needs the group
  return Child(pid, plan.in.write, plan.out.read, plan.err.read, plan.life.write);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      guard_(std::exchange(other.guard_, -1)),
      reaping_(std::move(other.reaping_)),
      code_(other.code_) {}

Child::~Child() {
  if (pid_ < 0) return;
  if (!code_) {
    kill();
    wait();
  }
  for (const int fd : {in_, out_, err_, guard_}) close_if_open(fd);
}

bool Child::feed(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t size = ::write(in_, bytes.data(), bytes.size());
    if (size < 0 && errno != EINTR) return false;
    if (size > 0) bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void Child::end_input() { close_if_open(std::exchange(in_, -1)); }

void Child::kill() const {
  const std::scoped_lock lock(*reaping_);
  if (!code_) ::kill(-pid_, SIGKILL);
}

int Child::wait() {
  if (code_) return *code_;
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  const std::scoped_lock lock(*reaping_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *code_;
}

std::vector<char*> argv_of(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

bool read_some(int fd, std::string& text) {
  std::array<char, 64 << 10> piece{};
  ssize_t size = 0;
  do size = ::read(fd, piece.data(), piece.size());
  while (size < 0 && errno == EINTR);
  if (size <= 0) return false;
  text.append(piece.data(), static_cast<std::size_t>(size));
  return true;
}

std::string read_all(int fd) {
  std::string text;
  while (read_some(fd, text)) {
  }
  return text;
}

}  // namespace mc::kubectl
