#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace mc::pods {

struct Mount {
  std::filesystem::path source;  // a folder or a file
  std::string target;            // in the container
  bool read_only = false;
};

// A container as a kubelet requests it from the container runtime.
struct ContainerSpec {
  std::filesystem::path folder;               // for what the container writes into its root
  std::vector<std::filesystem::path> layers;  // of the image, the topmost first
  std::vector<Mount> mounts;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // NAME=VALUE
  std::string working_dir;               // created if missing
  std::string hostname;
  uid_t uid = 0;
  gid_t gid = 0;
  std::optional<gid_t> fs_group;
  bool read_only_root = false;
  bool no_capabilities = false;
  bool no_new_privileges = false;
};

// A running container with its own root (the image's layers over the machine's file system), PID
// namespace (the command is PID 1) and host name, and Docker's default capabilities. It uses the
// caller's network, and dies with the caller.
class Container {
 public:
  // Throws std::system_error if the kernel refuses. An error inside the container gives an exit
  // code of container.sh, with the reason in the log.
  explicit Container(ContainerSpec spec);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // The exit code, or nothing while it runs; 128 + the signal's number, as containerd reports it.
  std::optional<int> code();
  void signal(int number);
  // All output so far.
  std::string log() const;

  // As `kubectl exec`: runs a program in the container, with the command's user and environment.
  test::Outcome exec(const std::vector<std::string>& argv,
                     std::chrono::seconds limit = std::chrono::seconds(20)) const;

 private:
  ContainerSpec spec_;
  pid_t pid_ = -1;
  std::optional<int> code_;
};

// Unless `succeeded`, throws errno with `what`, as std::system_error.
void require(bool succeeded, const std::string& what);

}  // namespace mc::pods
