#include "tests/pods/container.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tests/support/folders.h"
#include "tests/support/stage.h"

namespace mc::pods {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

// The capabilities that Docker and containerd leave to a container's root.
constexpr const char* kCapabilities =
    "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,"
    "+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap";

// The words that run `argv` as the container's user, with its rights and variables.
Words as_user(const ContainerSpec& spec, const Words& argv) {
  Words out = {"setpriv",
               "--reuid=" + std::to_string(spec.uid),
               "--regid=" + std::to_string(spec.gid),
               spec.fs_group ? "--groups=" + std::to_string(*spec.fs_group) : "--clear-groups",
               "--inh-caps=-all",
               std::string("--bounding-set=") + (spec.no_capabilities ? "-all" : kCapabilities),
               "--pdeathsig=KILL"};
  if (spec.no_new_privileges) out.emplace_back("--no-new-privs");
  out.insert(out.end(), {"env", "--ignore-environment",
                         "--chdir=" + (spec.working_dir.empty() ? "/" : spec.working_dir)});
  out.insert(out.end(), spec.environment.begin(), spec.environment.end());
  out.insert(out.end(), argv.begin(), argv.end());
  return out;
}

// The words that make the container, in its namespaces, and run its command.
Words start_command(const ContainerSpec& spec) {
  std::string layers;
  for (const fs::path& layer : spec.layers) layers += layer.string() + ":";
  Words out = {test::source_dir() / "tests/pods/container.sh",
               spec.folder,
               layers + "/",
               spec.hostname,
               spec.working_dir,
               spec.read_only_root ? "ro" : "rw"};
  // Outer folders before mounts inside them, as runtimes do.
  std::vector<Mount> mounts = spec.mounts;
  std::ranges::stable_sort(
      mounts, {}, [](const Mount& mount) { return std::ranges::count(mount.target, '/'); });
  for (const Mount& mount : mounts) {
    out.insert(out.end(), {mount.source, mount.target, mount.read_only ? "ro" : "rw"});
  }
  out.emplace_back("--");
  const Words program = as_user(spec, spec.argv);
  out.insert(out.end(), program.begin(), program.end());
  return out;
}

}  // namespace

void require(bool succeeded, const std::string& what) {
  if (!succeeded) throw std::system_error(errno, std::generic_category(), what);
}

Container::Container(ContainerSpec spec) : spec_(std::move(spec)) {
  for (const char* part : {"root", "upper", "work"}) fs::create_directories(spec_.folder / part);
  Words words = start_command(spec_);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int log =
      open((spec_.folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  // As fork(), but the child is the first process of new namespaces.
  pid_ = static_cast<pid_t>(
      syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | SIGCHLD, 0, 0, 0, 0));
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(argv.front(), argv.data());
    _exit(127);
  }
  require(pid_ > 0, "clone");
  close(in);
  close(log);
}

Container::~Container() {
  signal(SIGKILL);
  if (!code_) waitpid(pid_, nullptr, 0);
}

std::optional<int> Container::code() {
  int status = 0;
  if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return code_;
}

void Container::signal(int number) {
  if (!code_) kill(pid_, number);  // not reaped, so the pid is still its own
}

std::string Container::log() const { return test::read_file(spec_.folder / "log"); }

test::Outcome Container::exec(const std::vector<std::string>& argv,
                              std::chrono::seconds limit) const {
  Words words = {"nsenter", "--target=" + std::to_string(pid_), "--mount", "--uts", "--pid"};
  const Words program = as_user(spec_, argv);
  words.insert(words.end(), program.begin(), program.end());
  return test::run(words, {}, limit);
}

}  // namespace mc::pods
