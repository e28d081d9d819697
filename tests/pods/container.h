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

// What a kubelet asks of the container runtime.
struct ContainerSpec {
  std::filesystem::path folder;               // its own, for what it writes into its root
  std::vector<std::filesystem::path> layers;  // of the image, the topmost first
  std::vector<Mount> mounts;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // NAME=VALUE
  std::string working_dir;               // made where it is missing
  std::string hostname;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  bool read_only_root = false;
  bool no_capabilities = false;
  bool no_new_privileges = false;
};

// A running container: a root of its own (the image's layers over the machine's file system), its
// own processes (the command is 1) and host name, the capabilities that Docker leaves. The network
// is the caller's. It dies with the caller.
class Container {
 public:
  // Throws std::system_error where the kernel refuses. What goes wrong inside is code 128, with the
  // reason in the log.
  explicit Container(ContainerSpec spec);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // The exit code, or nothing while it runs; 128 + the signal's number as containerd has it.
  std::optional<int> code();
  void signal(int number);
  // All that it printed.
  std::string log() const;

  // `kubectl exec`: a program beside the command, as its user, in its environment.
  test::Outcome exec(const std::vector<std::string>& argv,
                     std::chrono::seconds limit = std::chrono::seconds(20)) const;

 private:
  ContainerSpec spec_;
  pid_t pid_ = -1;
  std::optional<int> code_;
};

}  // namespace mc::pods
