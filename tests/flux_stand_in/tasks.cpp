#include "tests/flux_stand_in/tasks.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace mc::stand_in {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotStarted = 126;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The program's path by the PATH in `environment`.
std::string found_program(const std::string& name, const Environment& environment) {
  if (name.contains('/')) return name;
  const auto path = environment.find("PATH");
  std::string_view rest = "/usr/bin:/bin";
  if (path != environment.end()) rest = path->second;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

}  // namespace

Environment own_environment() {
  Environment out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) out[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return out;
}

Result<pid_t> start_process(const Start& start) {
  const std::string program = found_program(start.argv.at(0), start.environment);
  if (program.empty()) {
    return fail(ErrorKind::NotFound, start.argv[0] + ": No such file or directory");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // All above 2, so that no dup2() overwrites a descriptor that is still to be copied.
  posix_spawn_file_actions_adddup2(&actions, start.in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, start.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, start.err, STDERR_FILENO);
  if (!start.folder.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, start.folder.c_str());
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> argv = start.argv, environment;
  for (const auto& [name, value] : start.environment) environment.push_back(name + "=" + value);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(argv).data(),
                                pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return fail(error == ENOENT ? ErrorKind::NotFound : ErrorKind::Unavailable,
              start.argv[0] + ": " + std::strerror(error));
}

int exit_code(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

Tasks::~Tasks() {
  for (const Task& task : running_) {
    kill(-task.pid, SIGKILL);
    waitpid(task.pid, nullptr, 0);
  }
}

void Tasks::start(const json& task) {
  Task out;
  out.key = {{"job", task.at("job")}, {"task", task.at("task")}};
  int outputs[2][2] = {{-1, -1}, {-1, -1}};
  if (pipe2(outputs[0], O_CLOEXEC) != 0 || pipe2(outputs[1], O_CLOEXEC) != 0) std::abort();
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto pid = start_process(
      {task.at("argv"), task.at("env"), task.at("cwd"), nothing, outputs[0][1], outputs[1][1]});
  close(nothing);
  for (int i = 0; i < 2; ++i) {
    close(outputs[i][1]);
    fcntl(outputs[i][0], F_SETFL, O_NONBLOCK);
    out.outputs[i].fd = outputs[i][0];
  }
  if (pid) {
    out.pid = *pid;
    running_.push_back(std::move(out));
    return;
  }
  for (const Output& output : out.outputs) close(output.fd);
  const json error = {{"stream", 2}, {"data", "flux-shell: " + pid.error().message + "\n"}};
  const json end = {{"code", pid.error().kind == ErrorKind::NotFound ? kNotFound : kNotStarted}};
  for (json event : {error, end}) {
    event.update(out.key);
    events_.push_back(std::move(event));
  }
}

void Tasks::read(const json& key, int stream, Output& output, bool to_the_end) {
  std::array<char, 65536> chunk{};
  for (ssize_t n = 1; n > 0;) {
    n = ::read(output.fd, chunk.data(), chunk.size());
    if (n > 0) output.partial.append(chunk.data(), static_cast<std::size_t>(n));
    if (n == 0 && !to_the_end) {  // closed before the program's end: stop polling
      close(output.fd);
      output.fd = -1;
    }
  }
  const std::size_t lines = to_the_end ? output.partial.size() : output.partial.rfind('\n') + 1;
  if (lines == 0) return;
  json event = {{"stream", stream}, {"data", output.partial.substr(0, lines)}};
  event.update(key);
  events_.push_back(std::move(event));
  output.partial.erase(0, lines);
}

std::vector<json> Tasks::events() {
  for (auto task = running_.begin(); task != running_.end();) {
    int status = 0;
    const bool ended = waitpid(task->pid, &status, WNOHANG) == task->pid;
    for (int i = 0; i < 2; ++i) {
      Output& output = task->outputs[i];
      if (output.fd >= 0 || ended) read(task->key, i + 1, output, ended);
      if (ended && output.fd >= 0) close(output.fd);
    }
    if (!ended) {
      ++task;
      continue;
    }
    kill(-task->pid, SIGKILL);  // processes left in its group
    json event = {{"code", exit_code(status)}};
    event.update(task->key);
    events_.push_back(std::move(event));
    task = running_.erase(task);
  }
  return std::exchange(events_, {});
}

std::vector<int> Tasks::fds() const {
  std::vector<int> out;
  for (const Task& task : running_) {
    for (const Output& output : task.outputs) {
      if (output.fd >= 0) out.push_back(output.fd);
    }
  }
  return out;
}

}  // namespace mc::stand_in
