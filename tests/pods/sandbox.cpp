#include "tests/pods/sandbox.h"

#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/pods/container_root.h"

namespace mc::pods {
namespace {

void bring_loopback_up() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  require(fd >= 0, "socket");
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  const int result = ioctl(fd, SIOCSIFFLAGS, &request);
  close(fd);
  require(result == 0, "bring up lo");
}

}  // namespace

Sandbox::Sandbox() {
  require(unshare(CLONE_NEWNS | CLONE_NEWNET) == 0, "unshare (only root can run these tests)");
  require(mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "make / private");
  bring_loopback_up();
  std::string name = (std::filesystem::temp_directory_path() / "pods-XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, "mkdtemp");
  folder_ = name;
  require(mount("tmpfs", name.c_str(), "tmpfs", 0, "mode=0755") == 0, "mount " + name);
}

Sandbox::~Sandbox() {
  umount2(folder_.c_str(), MNT_DETACH);
  rmdir(folder_.c_str());
}

}  // namespace mc::pods
