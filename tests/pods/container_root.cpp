#include "tests/pods/container_root.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace mc::pods {
namespace {

namespace fs = std::filesystem;

// The capabilities that Docker and containerd leave to a container's root.
constexpr std::array kCapabilities = {
    CAP_CHOWN,      CAP_DAC_OVERRIDE, CAP_FOWNER,      CAP_FSETID,           CAP_KILL,
    CAP_SETGID,     CAP_SETUID,       CAP_SETPCAP,     CAP_NET_BIND_SERVICE, CAP_NET_RAW,
    CAP_SYS_CHROOT, CAP_MKNOD,        CAP_AUDIT_WRITE, CAP_SETFCAP};

struct Device {
  const char* name;
  unsigned minor;
};
constexpr Device kDevices[] = {
    {"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}};
constexpr unsigned kMemoryDevices = 1;

void mount_or_throw(const std::string& source, const fs::path& target, const char* type,
                    unsigned long flags, const std::string& data = "") {
  require(mount(source.c_str(), target.c_str(), type, flags, data.c_str()) == 0,
          "mount " + target.string());
}

void bind(const Mount& mount, const fs::path& root) {
  const fs::path target = root / mount.target.substr(1);
  if (fs::is_directory(mount.source)) {
    fs::create_directories(target);
  } else if (!fs::exists(target)) {
    fs::create_directories(target.parent_path());
    close(open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  }
  mount_or_throw(mount.source, target, nullptr, MS_BIND);
  if (mount.read_only) mount_or_throw("", target, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY);
}

void make_devices(const fs::path& folder) {
  mount_or_throw("tmpfs", folder, "tmpfs", MS_NOSUID, "mode=0755");
  const mode_t umask_before = umask(0);
  for (const Device& device : kDevices) {
    require(mknod((folder / device.name).c_str(), S_IFCHR | 0666,
                  makedev(kMemoryDevices, device.minor)) == 0,
            device.name);
  }
  umask(umask_before);
  fs::create_symlink("/proc/self/fd", folder / "fd");
  fs::create_symlink("/proc/self/fd/0", folder / "stdin");
  fs::create_symlink("/proc/self/fd/1", folder / "stdout");
  fs::create_symlink("/proc/self/fd/2", folder / "stderr");
  fs::create_directory(folder / "shm");
  mount_or_throw("tmpfs", folder / "shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

}  // namespace

void require(bool succeeded, const std::string& what) {
  if (!succeeded) throw std::system_error(errno, std::generic_category(), what);
}

void enter_root(const ContainerSpec& spec) {
  mount_or_throw("", "/", nullptr, MS_REC | MS_PRIVATE);
  const fs::path root = spec.folder / "root";
  std::string lower;
  for (const fs::path& layer : spec.layers) lower += layer.string() + ":";
  mount_or_throw("overlay", root, "overlay", 0,
                 "lowerdir=" + lower + "/,upperdir=" + (spec.folder / "upper").string() +
                     ",workdir=" + (spec.folder / "work").string());
  mount_or_throw("proc", root / "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
  mount_or_throw("sysfs", root / "sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY);
  make_devices(root / "dev");
  if (!spec.working_dir.empty()) fs::create_directories(root / spec.working_dir.substr(1));
  // Outer folders before mounts inside them, as runtimes do.
  std::vector<Mount> mounts = spec.mounts;
  std::ranges::stable_sort(
      mounts, {}, [](const Mount& mount) { return std::ranges::count(mount.target, '/'); });
  for (const Mount& mount : mounts) bind(mount, root);
  if (spec.read_only_root) mount_or_throw("", root, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY);
  fs::current_path(root);
  require(syscall(SYS_pivot_root, ".", ".") == 0, "pivot_root");
  require(umount2(".", MNT_DETACH) == 0, "umount the old root");
  require(sethostname(spec.hostname.data(), spec.hostname.size()) == 0, "sethostname");
}

void become_user(const ContainerSpec& spec) {
  for (int capability = 0; capability <= CAP_LAST_CAP; ++capability) {
    const bool left = !spec.no_capabilities && std::ranges::count(kCapabilities, capability) > 0;
    // The kernel may know fewer or more capabilities than this header.
    if (!left) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  require(setgroups(spec.groups.size(), spec.groups.data()) == 0, "setgroups");
  require(setresgid(spec.gid, spec.gid, spec.gid) == 0, "setresgid");
  require(setresuid(spec.uid, spec.uid, spec.uid) == 0, "setresuid");
  if (spec.no_new_privileges) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of user has reset it
}

void execute(const ContainerSpec& spec, const std::vector<std::string>& argv) {
  const std::string folder = spec.working_dir.empty() ? "/" : spec.working_dir;
  require(chdir(folder.c_str()) == 0, "working directory " + folder);
  std::vector<std::string> words = argv, environment = spec.environment;
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  clearenv();
  for (std::string& entry : environment)
    putenv(entry.data());  // PATH, for the lookup of the program
  execvp(words.at(0).c_str(), pointers(words).data());
  throw std::system_error(errno, std::generic_category(), "exec " + words[0]);
}

}  // namespace mc::pods
