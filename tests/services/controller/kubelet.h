#pragma once
#include <string>
#include <vector>

#include "tests/services/controller/world.h"

namespace mc::controller::test {

// Annotation with the true result of a Job, which only the invariant checker reads: `WHO ended with
// code N`, once the result is final.
inline constexpr const char* kTruth = "test/truth";
// Annotation on the lead's pod: it has told its followers that the command ended with this code,
// but has not ended itself.
inline constexpr const char* kDecided = "test/decided";

// The pods of the Job: how their containers start, run and end, and what a node does to them. Exit
// codes as in docs/pods.md.
class Kubelet {
 public:
  explicit Kubelet(World& world) : world_(world), hungry_(world.chance(15)) {}

  // A random change of this pod.
  void change(const json& pod, const json& job);
  // The Job controller deletes the pod, unless it has ended: then its result is kept.
  void stop(const json& pod, const json& job);

  // True if the pod has succeeded or failed.
  static bool is_terminal(const json& pod);
  static std::int64_t index_of(const json& pod);

 private:
  bool has_scripts(const json& job) const;
  void begin(const json& pod);
  void change_lead(const json& pod, const json& job);
  void change_follower(const json& pod, const json& job);
  void end_command(const json& lead, const json& job);
  void end_lead(const json& lead, const json& job, std::int64_t code);
  void lose(const json& pod, const json& job);
  void fail_snippet(const json& pod, const json& job, const char* step);
  void end(const json& pod, const json& job, std::int64_t code, const std::string& message,
           const char* reason = "Error");
  void tell(const json& job, const std::string& truth);
  bool is_told(const json& job) const;
  std::vector<json> followers(const json& job, const char* phase) const;

  World& world_;
  const bool hungry_;  // the pods need more memory than they have
};

}  // namespace mc::controller::test
