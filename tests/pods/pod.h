#pragma once
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/pods/container.h"
#include "tests/pods/volumes.h"

namespace mc::pods {

// What an image's name stands for.
struct Image {
  std::vector<std::filesystem::path> layers;  // over the machine's own file system
  std::vector<Mount> mounts;  // folders of the machine, which can be no layers of it
  std::vector<std::string> entry_point = {"/bin/bash"};
};

// What the pods of a machine have in common.
struct Machine {
  std::filesystem::path folder;
  Sources sources;
  std::map<std::string, Image> images;             // others are the machine's own file system
  std::vector<Mount> mounts;                       // in every container: /etc/hosts and the like
  std::map<std::string, std::string> environment;  // in every container
};

// A pod as a kubelet runs it: init containers one after the other, those with restartPolicy Always
// beside the rest, then the containers side by side. Nothing is restarted.
class Pod {
 public:
  // `spec`: a PodSpec; `environment`: what controllers add to every container's. Throws
  // std::runtime_error where a pod would not start.
  Pod(const Machine& machine, std::string hostname, json spec,
      const std::map<std::string, std::string>& environment);

  // Takes notice of what ended, and starts what comes next.
  void step();
  // All containers have ended.
  bool ended() const { return phase_ == Phase::Ended; }
  // The exit code of a container that has ended.
  std::optional<int> code(const std::string& container) const;
  // "" while it has not started.
  std::string log(const std::string& container) const;
  // What a kubelet tells of a container that has ended, with FallbackToLogsOnError: what it wrote
  // to /dev/termination-log, or where it failed the end of its log.
  std::string message(const std::string& container) const;
  // Every log, each line with its container's name, for a message.
  std::string logs() const;
  // Throws std::out_of_range while it has not started.
  Container& container(const std::string& name) const { return *running_.at(name); }
  bool started(const std::string& container) const { return running_.contains(container); }

  // As a kubelet ends a pod: SIGTERM to all its containers; `kill` does it after the grace period,
  // or when the machine dies.
  void terminate();
  void kill();

 private:
  enum class Phase { Init, Running, Ended };
  void start(const json& container);
  ContainerSpec spec_of(const json& container) const;
  std::filesystem::path termination_file(const std::string& container) const;
  std::vector<std::string> environment_of(const json& container) const;
  json security_of(const json& container, const char* field) const;
  void end_sidecars();

  const Machine& machine_;
  std::string hostname_;
  json spec_;
  std::map<std::string, std::string> environment_;
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path> volumes_;
  std::map<std::string, std::unique_ptr<Container>> running_;
  std::deque<json> init_;  // still to come
  std::string init_now_;   // runs, and the next waits for it
  Phase phase_ = Phase::Init;
  bool terminated_ = false;
};

}  // namespace mc::pods
