#pragma once
#include <vector>

#include "tests/services/controller/kubelet.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

inline constexpr const char* kName = "sample";
// A PriorityClass, which a FluxSetup may allow.
inline constexpr const char* kUrgent = "urgent";
// Annotation on a Job that a user suspended by hand, not the controller or a queueing system.
inline constexpr const char* kHeldByHand = "test/held-by-hand";
// Annotation with what Kueue has written to a Job, as JSON.
inline constexpr const char* kAdmitted = "test/admitted";

// Everyone except the controller: a user, an intruder who edits objects by hand, the Job controller
// and the kubelets, Kueue, the garbage collector. An action that is impossible now is skipped.
class Actors {
 public:
  // `with_limits`: a FluxSetup may limit the MiniClusters. Then more of them grow and shrink, and
  // somebody meddles with those that wait.
  Actors(World& world, bool with_limits)
      : world_(world), with_limits_(with_limits), kubelet_(world) {}

  void act();
  // The garbage collector and the holders of finalizers finish their work.
  void clean_up();
  // The Job controller finishes its work.
  void settle();

 private:
  void user();
  void somebody();
  void cluster_itself();
  void job_controller();

  void create_cluster();
  void add_preemption(json& spec);
  void edit_cluster(const char* what, const json& patch);
  void resize();
  void toggle_suspend();
  void break_spec();
  void repair_spec();
  void change_pod_fields();
  void delete_cluster();
  void lose_status();

  void take_a_name();
  void free_a_name();
  void edit_by_hand();
  void edit_job_by_hand(const json& job);
  void meddle_with_waiting(const json& job);
  void strip_labels(const json& object);
  void delete_by_hand(const json& object);

  void sync_job();
  json end_of(const json& job) const;
  void stop_pods(const json& job);
  void run_pods(const json& job);
  void count_pods(const json& job);
  void make_pod(const json& job, std::int64_t index);
  void change_pod();
  void end_job();
  void end_job_by(const json& condition);
  void tell_end(const json& job, const json& end);
  void kueue();
  bool collect(const json& object);

  // Null if there is none, or if it is being deleted.
  const json* cluster() const;
  const json* job() const;
  std::vector<json> owned() const;
  std::vector<json> pods(const json& job) const;

  World& world_;
  const bool with_limits_;
  Kubelet kubelet_;
  std::uint64_t names_ = 0;
};

}  // namespace mc::controller::test
