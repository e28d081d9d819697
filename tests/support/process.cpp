#include "tests/support/process.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <random>
#include <system_error>

extern char** environ;

namespace mc::test {
namespace {

[[noreturn]] void fail_with(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

// A file in memory: unlike a pipe it never blocks the writer, so no concurrent reader is needed.
int memory_file() {
  const int fd = memfd_create("process", MFD_CLOEXEC);
  if (fd < 0) fail_with(errno, "memfd_create");
  return fd;
}

std::string contents(int fd) {
  std::string text;
  std::array<char, 65536> chunk{};
  while (true) {
    const ssize_t n = pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

int file_with(const std::string& text) {
  const int fd = memory_file();
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0) fail_with(errno, "write");
    done += static_cast<std::size_t>(n);
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) merged.push_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// A program starts as from an interactive shell, also if we run in the background of a script,
// which has SIGINT ignored, or under nohup. (SIGPIPE: kube::Transport.)
class DefaultSignals {
 public:
  DefaultSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE}) sigaddset(&signals, signal);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~DefaultSignals() { posix_spawnattr_destroy(&attributes_); }
  DefaultSignals(const DefaultSignals&) = delete;
  DefaultSignals& operator=(const DefaultSignals&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// A signal to us does not end the wait: libFuzzer, for example, has a timer that sends signals.
bool readable_within(int fd, std::chrono::milliseconds limit) {
  using std::chrono::steady_clock;
  const auto until = steady_clock::now() + limit;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd end{fd, POLLIN, 0};
    const int ready = poll(&end, 1, std::max(0, static_cast<int>(left.count())));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) fail_with(errno, "poll");
  }
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const ProcessOptions& options)
    : out_(memory_file()), err_(memory_file()) {
  const int in = file_with(options.input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_, STDERR_FILENO);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = merged_environment(options.environment);
  const DefaultSignals signals;
  const int error = posix_spawnp(&pid_, command.at(0).c_str(), &actions, signals.get(),
                                 pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(in);
  if (error != 0) fail_with(error, command.at(0));
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (pidfd_ < 0) fail_with(errno, "pidfd_open");
}

Process::~Process() {
  signal(SIGKILL);
  wait(std::chrono::seconds(10));
  for (const int fd : {out_, err_, pidfd_}) close(fd);
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  if (code_) return code_;
  if (!readable_within(pidfd_, limit)) return std::nullopt;
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) fail_with(errno, "waitpid");
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

void Process::signal(int number) {
  if (!code_) kill(pid_, number);  // not reaped, so the pid is still this process's
}

std::string Process::out() const { return contents(out_); }
std::string Process::err() const { return contents(err_); }

Outcome run(const std::vector<std::string>& command, const ProcessOptions& options,
            std::chrono::seconds limit) {
  Process process(command, options);
  std::optional<int> code = process.wait(limit);
  if (!code) {
    process.signal(SIGKILL);
    process.wait(std::chrono::seconds(10));
    code = 124;
  }
  return {*code, process.out(), process.err()};
}

std::string describe(const std::vector<std::string>& command, const Outcome& outcome) {
  std::string text = "$";
  for (const std::string& word : command) text += " " + word;
  return text + "\nexit code " + std::to_string(outcome.code) + "\n--- standard output\n" +
         outcome.out + "--- standard error\n" + outcome.err;
}

std::string must_run(const std::vector<std::string>& command, const ProcessOptions& options,
                     std::chrono::seconds limit) {
  const Outcome outcome = run(command, options, limit);
  EXPECT_EQ(outcome.code, 0) << describe(command, outcome);
  return outcome.out;
}

namespace {

bool is_free(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail_with(errno, "make a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return bound;
}

}  // namespace

int free_port() {
  // Not from the range in which the kernel chooses ports of connections: one may take it before the
  // program listens.
  constexpr unsigned kFirst = 10'000, kCount = 20'000;
  static std::atomic<unsigned> next{std::random_device()()};
  for (unsigned tries = 0; tries < kCount; ++tries) {
    const auto port = static_cast<int>(kFirst + next++ % kCount);
    if (is_free(port)) return port;
  }
  fail_with(EADDRINUSE, "bind to a loopback port");
}

}  // namespace mc::test
