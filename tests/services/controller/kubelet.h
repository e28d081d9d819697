#pragma once
#include <string>
#include <vector>

#include "tests/services/controller/world.h"

namespace mc::controller::test {

// What was true of a Job, which only the judge reads: `WHO ended with code N`, once somebody has
// ended for good.
inline constexpr const char* kTruth = "test/truth";
// On the lead's pod: it has told its followers that the command ended with this code, and has not
// ended itself.
inline constexpr const char* kDecided = "test/decided";

// The pods of the Job: how their containers start, run and end, and what a node does to them. The
// codes are those of docs/pods.md.
class Kubelet {
 public:
  explicit Kubelet(World& world) : world_(world), hungry_(world.chance(15)) {}

  // Something happens to this pod.
  void change(const json& pod, const json& job);
  // The Job controller ends it; what it said is kept where it has ended.
  void stop(const json& pod, const json& job);

  // True where it has ended by itself.
  static bool is_terminal(const json& pod);
  static std::int64_t index_of(const json& pod);

 private:
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
