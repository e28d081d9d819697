#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/field.h"
#include "common/api/model/flux_setup.h"
#include "common/api/model/gang_kind.h"
#include "common/api/model/quantity.h"
#include "common/base/json.h"
#include "common/base/rare.h"
#include "common/base/shared_text.h"

// What the controller watches, as structs with exactly the fields in use (read.h). An absent text
// is "". The texts of pods, events and Workloads are at most 1 KiB long.
namespace mc::controller {

// An object as a cache holds it; it never changes.
template <class T>
using Shared = std::shared_ptr<const T>;

// UTC, to the second.
using Time = std::chrono::sys_seconds;

using TimePoint = std::chrono::system_clock::time_point;

// Ordered by key.
using Labels = std::vector<std::pair<SharedText, SharedText>>;

// The value of that label; null: absent.
const SharedText* find_label(const Labels& labels, std::string_view key);

// The owner reference with controller: true, of which an object has at most one; empty: none.
struct Owner {
  SharedText kind, name, uid;

  friend bool operator==(const Owner&, const Owner&) = default;
};

struct Metadata {
  std::string name;
  SharedText ns;  // "" of a cluster-scoped object
  std::string uid;
  std::string resource_version;
  std::uint64_t version = 0;  // the number that resource_version is; 0: it is none
  Owner owner;
  std::optional<Time> created;
  std::optional<Time> deletion;  // it was told to end, by then

  friend bool operator==(const Metadata&, const Metadata&) = default;
};

bool is_deleted(const Metadata& object);

// "namespace/name" of the owner, if it is of this kind; otherwise "".
std::string owner_key(const Metadata& object, std::string_view kind);

// Names an object for what it owns. An owner is in the same namespace (the API's garbage
// collection), so a reference from another one is to nothing, whatever uid it has.
std::string owner_id(std::string_view ns, std::string_view uid);

// The namespace in a key "namespace/name".
std::string namespace_of(const std::string& key);

// Why something is as it is: a CamelCase word, and a sentence.
struct Reason {
  std::string reason, message;

  friend bool operator==(const Reason&, const Reason&) = default;
};

// JSON that is copied, compared and examined as a whole, and not looked into. It is kept as text,
// which takes far less memory than a tree; equal ones share it.
class Opaque {
 public:
  Opaque() = default;  // null
  explicit Opaque(const json& tree);

  json tree() const;  // parsed in each call
  friend bool operator==(const Opaque&, const Opaque&) = default;

 private:
  SharedText text_;  // "" of null
};

// The status of a MiniCluster, which the CRD documents. Absent: "" or nothing.
struct ClusterStatus {
  SharedText phase;
  std::string selector, job_id;
  std::optional<std::int64_t> maximum_size, size, ready, active, succeeded, failed;  // pods
  std::optional<std::int64_t> observed_generation;
  std::optional<std::int64_t> position_in_queue, exit_code, preemptions;
  std::optional<Time> started, completed;
  std::optional<Time> estimated_start, promised_start;  // while it waits in the queue
  api::StoredConditions conditions;

  friend bool operator==(const ClusterStatus&, const ClusterStatus&) = default;
};

// The condition Complete or Failed that has status True; null before the MiniCluster has ended.
const api::StoredCondition* final_condition(const ClusterStatus& status);

// True once the MiniCluster has ended: nothing is created or changed for it after that. Read from
// the status because the Job may be gone by then.
bool is_finished(const ClusterStatus& status);

// True if no controller has written the status: at most the default of the CRD is there.
bool is_unwritten(const ClusterStatus& status);

// A MiniCluster as its owner has written it, and what this controller has said of it.
struct MiniCluster {
  static constexpr const char* kKind = "MiniCluster";
  Metadata metadata;
  std::int64_t generation = 0;
  SharedText end;  // api::kEndAnnotation
  // Of its spec, what the queue reads of each that waits, without an examination.
  std::int64_t size = 1;
  bool is_suspended = false;
  bool has_services = false;
  bool is_managed_by_other = false;  // spec.managedBy names another controller
  std::int64_t max_preemptions = 0;  // of its spec.preemptible; 0: it does not agree
  bool has_checkpoint = false;       // its spec.preemptible.checkpoint
  SharedText priority_class;
  SharedText account;  // api::kAccountLabel
  ClusterStatus status;
  // The object without its status, and without what others than its owner change in its metadata,
  // and what tells two from each other that were written alike (as_written()).
  Opaque written;

  friend bool operator==(const MiniCluster&, const MiniCluster&) = default;
};

// Whether this value of spec.managedBy names another controller; "" names none.
bool names_other_manager(std::string_view managed_by);

// What its owner wrote, with name, namespace and uid, to be examined (reconcile/examinations).
json as_written(const MiniCluster& cluster);

// A step of our entry point that ended, and its code (log_tail.h).
struct StepEnd {
  std::string step;  // "the command", "init", "pre", "brokerPre", "workerPre" or "post"
  std::int64_t code = 0;

  friend bool operator==(const StepEnd&, const StepEnd&) = default;
};

// Tasks of an MPI program that did not find each other (lead.sh).
struct Singletons {
  std::int64_t tasks = 0;
  std::string library;  // `libmpi.so.40.40.7`

  friend bool operator==(const Singletons&, const Singletons&) = default;
};

// How a container ended, and what our entry point says of that at the end of its log.
struct ContainerEnd {
  std::int64_t exit_code = 0;
  std::string reason;      // the kubelet's
  std::string last_words;  // the end of the log, without lines of Flux's broker and of our scripts
  std::optional<Time> finished;
  std::optional<StepEnd> step;
  std::optional<std::int64_t> command_code;  // of the command, from a follower that the lead told
  std::optional<Singletons> singletons;
  std::string outlived;  // which jobs had to be ended with it (reported_outlived)

  friend bool operator==(const ContainerEnd&, const ContainerEnd&) = default;
};

// The status of a container of a pod.
struct Container {
  std::string name;
  std::int64_t restarts = 0;
  bool is_sidecar = false;  // a native one, which is restarted whenever it ends
  Reason waiting;           // why it does not run yet, or again
  bool runs = false;
  std::optional<Time> started;        // since when it runs
  std::optional<ContainerEnd> ended;  // its last run that ended
  bool was_restarted = false;         // another run is under way, or about to be

  friend bool operator==(const Container&, const Container&) = default;
};

enum class PodPhase { None, Pending, Running, Succeeded, Failed, Unknown };

struct Pod {
  static constexpr const char* kKind = "Pod";
  Metadata metadata;
  std::chrono::seconds grace{0};  // from when it was told to end until metadata.deletion
  std::int64_t index = -1;        // its completion index; -1: it has none, as the services pod
  std::string index_label;        // api::kIndexLabel
  std::string admitted;           // api::kAdmittedAnnotation
  Labels labels;                  // all, of a pod without a completion index
  PodPhase phase = PodPhase::None;
  Reason why;                   // it has this phase
  std::optional<Time> started;  // the kubelet has seen it
  std::string node;             // of a pod that is silent or was told to end; "" if it has none
  bool is_ready = false;        // its condition Ready
  bool is_silent = false;       // its containers were ready when its node stopped answering
  Rare<Reason> unscheduled;     // why it has no node
  std::optional<Time> bound;    // when it got one
  api::Amounts requests;        // what kube-scheduler counts for it
  std::vector<Container> init_containers, containers;

  friend bool operator==(const Pod&, const Pod&) = default;
};

using Pods = std::vector<Shared<Pod>>;

// What this controller has noted on a Job: the annotations api::kJobAnnotations, of which names.h
// says what each is.
struct JobNotes {
  SharedText max_size, quorum, defaults, spec, size, quota, suspended, shrunk_at, scripts, end,
      failure, dropped, pod_group, preemptions, preempted;

  friend bool operator==(const JobNotes&, const JobNotes&) = default;
};

// The conditions of a Job that are True.
struct JobConditions {
  Rare<Reason> complete, failed, success_criteria_met, failure_target, suspended;

  friend bool operator==(const JobConditions&, const JobConditions&) = default;
};

struct Job {
  static constexpr const char* kKind = "Job";
  Metadata metadata;
  Labels labels;
  JobNotes notes;
  std::optional<std::int64_t> completions, parallelism;  // pods
  bool is_suspended = false;                             // its spec.suspend
  std::optional<std::int64_t> backoff_limit;
  std::optional<std::chrono::seconds> deadline;  // spec.activeDeadlineSeconds
  bool has_pod_failure_policy = false, has_success_policy = false;
  // Of its template.
  bool restarts_on_failure = false;           // restartPolicy OnFailure
  std::optional<std::chrono::seconds> grace;  // terminationGracePeriodSeconds
  api::Amounts requests;                      // of each pod, as kube-scheduler counts
  // Its status.
  std::optional<Time> started, completed;
  std::int64_t ready = 0, active = 0, succeeded = 0, failed = 0, terminating = 0;  // pods
  JobConditions conditions;

  friend bool operator==(const Job&, const Job&) = default;
};

// The scheduler places as many of its pods as it says together, or none.
struct PodGroup {
  static constexpr const char* kKind = "PodGroup";
  api::GangKind kind = api::GangKind::None;
  Metadata metadata;
  Labels labels;
  std::int64_t min_count = 0;
  // What the scheduler says in a condition: of Native, PodGroupInitiallyScheduled (v1alpha2:
  // PodGroupScheduled), which once True stays so; of Volcano, Scheduled or Unschedulable. Nothing:
  // it has said nothing, as the coscheduling plugin, which speaks only of pods.
  std::optional<bool> is_scheduled;
  Reason why;  // of that condition

  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

// Without its data.
struct ConfigMap {
  static constexpr const char* kKind = "ConfigMap";
  Metadata metadata;
  Labels labels;

  friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

struct Service {
  static constexpr const char* kKind = "Service";
  Metadata metadata;
  Labels labels;
  Labels selector;
  Opaque ports;
  bool is_headless = false;
  bool publishes_not_ready = false;  // spec.publishNotReadyAddresses

  friend bool operator==(const Service&, const Service&) = default;
};

struct PodDisruptionBudget {
  static constexpr const char* kKind = "PodDisruptionBudget";
  Metadata metadata;
  Labels labels;
  std::int64_t min_available = 0;  // 0 also for one in percent

  friend bool operator==(const PodDisruptionBudget&, const PodDisruptionBudget&) = default;
};

// An Event, with the object that it is about as owner.
struct Event {
  static constexpr const char* kKind = "Event";
  Metadata metadata;
  std::string message;
  std::optional<Time> time;  // of the last occurrence

  friend bool operator==(const Event&, const Event&) = default;
};

// Kueue's object for a Job, which is its owner.
struct Workload {
  static constexpr const char* kKind = "Workload";
  Metadata metadata;
  Reason why;  // Kueue holds the Job: on one line; "" unless a Job owns it

  friend bool operator==(const Workload&, const Workload&) = default;
};

struct Namespace {
  static constexpr const char* kKind = "Namespace";
  Metadata metadata;
  std::map<std::string, std::string> labels;

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

struct PriorityClass {
  static constexpr const char* kKind = "PriorityClass";
  Metadata metadata;
  std::int32_t value = 0;

  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

// While a pod on it is silent or takes long to end.
struct Node {
  static constexpr const char* kKind = "Node";
  std::optional<Reason> not_ready;  // its condition Ready is not True
};

struct FluxSetup {
  static constexpr const char* kKind = "FluxSetup";
  Metadata metadata;
  std::int64_t generation = 0;
  bool is_kept = false;              // when a newer one replaces it (api::kKeepAnnotation)
  std::string replaced;              // api::kReplacedAnnotation
  api::FluxSetup parsed;             // what its spec says
  api::FieldErrors errors;           // in its spec; empty: it is valid
  Opaque spec, status;               // null: absent
  Opaque flux_defaults;              // spec.defaults.flux; null: absent
  api::StoredConditions conditions;  // of its status
};

}  // namespace mc::controller
