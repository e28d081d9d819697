#include "bench/support/server.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "bench/support/loopback.h"

extern char** environ;

namespace mc::bench {
namespace {

using std::chrono::steady_clock;

// Without the given streams of ours.
pid_t started(const std::vector<std::string>& command, std::initializer_list<int> silent) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int fd : silent) {
    posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, arguments.front(), &quiet, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (error != 0) throw std::system_error(error, std::generic_category(), command.front());
  return pid;
}

int ended(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

Server::Server(std::string name, const std::vector<std::string>& command, int port)
    : name_(std::move(name)), port_(port), pid_(-1) {
  const auto begin = steady_clock::now();
  pid_ = started(command, {STDOUT_FILENO, STDERR_FILENO});
  while (!accepts(port)) {
    if (steady_clock::now() - begin > std::chrono::seconds(30)) {
      throw std::runtime_error(command.front() + " does not serve");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  start_took_ = steady_clock::now() - begin;
}

Server::~Server() {
  ::kill(pid_, SIGTERM);
  ended(pid_);
}

double Server::cpu_seconds() const {
  const std::string stat = text_of("/proc/" + std::to_string(pid_) + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));  // proc(5)'s field 3 and those after
  constexpr int kUser = 14, kSystem = 15;
  std::string field;
  double ticks = 0;
  for (int i = 3; i <= kSystem && fields >> field; ++i) {
    if (i >= kUser) ticks += std::stod(field);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double Server::waited_seconds() const {
  double nanoseconds = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task")) {
    std::ifstream in(task.path() / "schedstat");
    double ran = 0, waited = 0;
    if (in >> ran >> waited) nanoseconds += waited;
  }
  return nanoseconds * 1e-9;
}

double Server::status_mib(const std::string& field) const {
  std::istringstream lines(text_of("/proc/" + std::to_string(pid_) + "/status"));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with(field)) return std::stod(line.substr(line.find(':') + 1)) / 1024;
  }
  return 0;
}

void run_to_end(const std::vector<std::string>& command) {
  if (ended(started(command, {STDOUT_FILENO})) != 0) {
    throw std::runtime_error(command.front() + " failed");
  }
}

}  // namespace mc::bench
