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

// A container image.
struct Image {
  std::vector<std::filesystem::path> layers;  // over the machine's own file system
  std::vector<Mount> mounts;                  // folders of the machine, which cannot be layers
  std::vector<std::string> entry_point = {"/bin/bash"};
};

// What the pods of a machine share.
struct Machine {
  std::filesystem::path folder;
  Sources sources;
  std::map<std::string, Image> images;  // by name; any other is the machine's own file system
  std::vector<Mount> mounts;            // in every container: /etc/hosts and the like
};

// A pod as a kubelet runs it: init containers in sequence, those with restartPolicy Always
// alongside the rest, then the containers in parallel. Nothing is restarted.
class Pod {
 public:
  // `spec`: a PodSpec; `environment`: what controllers add to every container's environment. Throws
  // std::runtime_error if a pod would not start.
  Pod(const Machine& machine, std::string hostname, json spec,
      const std::map<std::string, std::string>& environment);

  // Handles containers that have ended, and starts the next ones.
  void step();
  // Whether all containers have ended.
  bool ended() const { return phase_ == Phase::Ended; }
  // The exit code of a container that has ended.
  std::optional<int> code(const std::string& container) const;
  // "" while it has not started.
  std::string log(const std::string& container) const;
  // The termination message that a kubelet reports, with FallbackToLogsOnError: the content of
  // /dev/termination-log or, after a failure, the end of the log.
  std::string message(const std::string& container) const;
  // All logs, each line with its container's name, for messages.
  std::string logs() const;
  // Throws std::out_of_range while it has not started.
  Container& container(const std::string& name) const { return *running_.at(name); }
  bool started(const std::string& container) const { return running_.contains(container); }

  // Ends the pod as a kubelet does: terminate() sends SIGTERM to all containers; kill() is the end
  // of the grace period, or the loss of the machine.
  void terminate();
  void kill();

 private:
  enum class Phase { Init, Running, Ended };
  void start(const json& container);
  ContainerSpec spec_of(const json& container) const;
  std::filesystem::path termination_file(const std::string& container) const;
  std::vector<std::string> environment_of(const json& container) const;
  std::string name_of_host() const;
  json security_of(const json& container, const char* field) const;
  void end_sidecars();

  const Machine& machine_;
  std::string hostname_;
  json spec_;
  std::map<std::string, std::string> environment_;
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path> volumes_;
  std::map<std::string, std::unique_ptr<Container>> running_;
  std::deque<json> init_;  // not started yet
  std::string init_now_;   // running; the next one waits for it
  Phase phase_ = Phase::Init;
  bool terminated_ = false;
};

}  // namespace mc::pods
