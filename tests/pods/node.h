#pragma once
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "tests/pods/pod.h"

namespace mc::pods {

inline constexpr const char* kViewImage = "flux-view";          // has Flux in /opt/view
inline constexpr const char* kImageWithFlux = "app-with-flux";  // has it in /usr/local/bin

// The folder of Flux that MINICLUSTER_FLUX names (tests/flux/build.sh builds one); "" without one.
std::filesystem::path flux_folder();

// The time limit for whatever a story waits for, also for the end of four brokers on a busy
// machine.
inline constexpr std::chrono::seconds kPatience{120};

class Pods;

// The environment of a test's containers: a network with only loopback, and a file system in
// memory. Both are private to this process and end with it.
class Sandbox {
 public:
  // Throws std::system_error; the caller must be root.
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// A machine with pods of MiniClusters, and their host names: a pod's name resolves from its start,
// as with publishNotReadyAddresses.
class Node {
 public:
  // Its images kViewImage and kImageWithFlux exist only if there is a flux_folder().
  Node();

  // The sources of volumes and images. Change them before pods start.
  Machine& machine() { return machine_; }
  std::filesystem::path new_folder(const std::string& name);  // 0777
  void add_name(const std::string& name, const std::string& address = "127.0.0.1");

  // Runs the pods until `condition` holds; false if it does not within `limit`.
  [[nodiscard]] bool until(const std::function<bool()>& condition,
                           std::chrono::seconds limit = kPatience);
  // Runs the pods for some time, to show that something does not happen.
  void pass(std::chrono::milliseconds time);

 private:
  friend class Pods;
  void step();
  void make_images(const std::filesystem::path& flux);

  Sandbox sandbox_;
  Machine machine_;
  std::vector<Pods*> pods_;
};

// The pods of one MiniCluster, from its rendered objects.
class Pods {
 public:
  // `certificate`: the text of curve.cert; "": a new one.
  Pods(Node& node, const api::MiniCluster& cluster, const std::string& certificate = "");
  ~Pods();
  Pods(const Pods&) = delete;
  Pods& operator=(const Pods&) = delete;

  void start(std::size_t index);  // recreates an existing one
  void start_all();
  [[nodiscard]] bool run_all();  // start_all(), and until all have ended
  void start_service_pod();

  std::size_t size() const { return size_; }
  const json& job() const { return job_; }  // its spec
  Pod& pod(std::size_t index) const { return *running_.at(index); }
  bool ended() const;  // all started pods
  // About the container that runs Flux.
  bool started(std::size_t index) const { return pod(index).started(runner_); }
  std::optional<int> code(std::size_t index) const { return pod(index).code(runner_); }
  std::string log(std::size_t index) const { return pod(index).log(runner_); }
  std::string message(std::size_t index) const { return pod(index).message(runner_); }
  Container& runner(std::size_t index) const { return pod(index).container(runner_); }
  std::string logs() const;

  // Replaces the certificate for pods that start later.
  void use_certificate(const std::string& certificate);

 private:
  friend class Node;
  Node& node_;
  std::string runner_, name_, service_;
  std::size_t size_;
  json job_, service_pod_;
  std::map<std::string, std::map<std::string, std::string>> secrets_;
  std::string secret_name_;
  std::map<std::size_t, std::unique_ptr<Pod>> running_;
  std::unique_ptr<Pod> service_running_;
};

// A new certificate, as the controller generates it.
std::string fresh_certificate();

}  // namespace mc::pods
