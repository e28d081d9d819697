#pragma once
#include <string>
#include <vector>

#include "tests/services/controller/kubelet.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

inline constexpr const char* kName = "sample";
// A Job held by a hand, not by us and not by a queueing system.
inline constexpr const char* kHeldByHand = "test/held-by-hand";
// What Kueue has written on a Job, as JSON.
inline constexpr const char* kAdmitted = "test/admitted";

// Everybody but the controller: a user, somebody with a heavy hand, the Job controller and the
// kubelets, Kueue, the garbage collector. What none of them can do now is not done.
class Actors {
 public:
  explicit Actors(World& world) : world_(world), kubelet_(world) {}

  void act();
  // The garbage collector and whoever holds finalizers come to their end.
  void clean_up();
  // The Job controller comes to the end of its work.
  void settle();

 private:
  void user();
  void somebody();
  void cluster_itself();
  void job_controller();

  void create_cluster();
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
  void kueue();
  bool collect(const json& object);

  // Null where there is none, or one that is being deleted.
  const json* cluster() const;
  const json* job() const;
  std::vector<json> owned() const;
  std::vector<json> pods(const json& job) const;

  World& world_;
  Kubelet kubelet_;
  std::uint64_t names_ = 0;
};

}  // namespace mc::controller::test
