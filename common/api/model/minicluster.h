#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/api/model/gang_kind.h"
#include "common/base/json.h"

// The MiniCluster type (flux-framework.org/v1alpha2). Members are named as in the CRD, in
// snake_case; the CRD (crds/) documents them. "", 0, {} and null JSON mean "not set" unless a
// default is given. Kubernetes' own types stay JSON.
namespace mc::api {

using StringMap = std::map<std::string, std::string>;

struct Volume {
  std::string path;
  bool read_only = false;
  std::string claim_name;
  std::string config_map_name;
  StringMap items;
  std::string csi_driver;
  StringMap csi_driver_attributes;
  bool empty_dir = false;
  std::string empty_dir_medium;
  std::string empty_dir_size_limit;
  std::string host_path;
  std::string secret_name;
};

struct SecretRef {
  std::string name;
  std::string key;
};

struct Commands {
  std::string init, pre, broker_pre, worker_pre, post, prefix, script, service_pre;
};

struct LifeCycle {
  std::string post_start_exec, pre_stop_exec;
};

// The image of a container without one, as in the public operator.
inline constexpr std::string_view kDefaultImage = "ghcr.io/rse-ops/accounting:app-latest";

struct Container {
  std::string name;
  std::string image;
  std::string image_pull_policy;
  std::string image_pull_secret;
  bool pull_always = false;
  bool run_flux = false;
  std::string command;
  bool batch = false;
  bool batch_raw = false;
  bool launcher = false;
  bool takes_input = false;
  bool no_wrap_entrypoint = false;
  std::string logs;
  std::string working_dir;
  Commands commands;
  LifeCycle life_cycle;
  StringMap environment;
  std::map<std::string, SecretRef> secrets;
  std::map<std::string, Volume> volumes;
  std::vector<std::int64_t> ports;
  json resources;         // core/v1 ResourceRequirements, limits and requests
  json security_context;  // core/v1 SecurityContext

  // Whether a sidecar has something for our entry point to run: a command, a script or a snippet.
  // Otherwise the image's own entrypoint runs.
  bool has_steps() const;
  // Whether a sidecar is an init container of the pod that goes on beside the others, with the
  // image's own entrypoint: there is nothing for ours to run. Meaningless if it runs Flux.
  bool is_native() const { return !has_steps() || no_wrap_entrypoint; }
};

struct FluxContainer {
  std::string name = "flux-view";
  std::string image;
  std::string image_pull_secret;
  bool pull_always = false;
  bool disable = false;
  std::string mount_path = "/mnt/flux";
  std::string python_path;
  std::string working_dir;
  json resources;
  json security_context;
};

struct LeadBroker {
  std::string name;
  std::string address;
  std::int64_t port = 8050;
  std::int64_t size = 0;
};

struct BurstedCluster {
  std::string name;
  std::int64_t size = 0;
};

struct Bursting {
  std::optional<LeadBroker> lead_broker;  // set: this cluster joins that one
  std::vector<BurstedCluster> clusters;
  std::string hostlist;
};

struct Scheduler {
  std::string queue_policy = "fcfs";
  bool simple = false;
};

struct Flux {
  FluxContainer container;
  std::string arch;
  std::string broker_config;
  Bursting bursting;
  bool complete_workers = false;
  std::string cores_from = "Pod";
  std::string connect_timeout = "5s";
  std::string curve_cert;
  std::string curve_cert_secret;  // an existing Secret with the key curve.cert
  bool disable_socket = false;
  StringMap environment;
  std::int64_t log_level = 6;
  bool minimal_service = false;
  std::string munge_secret;
  bool no_wait_socket = false;
  std::string option_flags;
  Scheduler scheduler;
  std::string submit_command;
  std::string topology;
  std::string wrap;
};

struct Logging {
  bool debug = false, quiet = false, strict = false, timed = false, zeromq = false;
  bool label_stderr = false;
};

struct Network {
  bool disable_affinity = false;
  std::string headless_name;
  bool use_existing_service = false;
};

// Whether the scheduler places as many pods as the command needs together, or none of them.
struct Gang {
  std::optional<bool> enabled;  // nothing: as the controller's --gang says
  std::string kind;             // a GangKind; "": by the name of the scheduler
};

// A label of which the nodes of all pods have the same value; "": no wish.
struct Topology {
  std::string required, preferred;
};

// The memory volume that the Job's containers have at /dev/shm.
struct SharedMemory {
  bool disable = false;
  std::string size;  // "": half of the memory limit
};

// How a job is told to save its state before its pods end.
struct Checkpoint {
  std::string signal;        // one of kCheckpointSignals; "": kDefaultCheckpointSignal
  std::int64_t seconds = 0;  // that it has then
};
inline constexpr std::string_view kDefaultCheckpointSignal = "SIGUSR1";
inline constexpr std::array<std::string_view, 7> kCheckpointSignals = {
    "SIGCONT", "SIGHUP", "SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGXCPU"};

// That the queue of a FluxSetup may suspend it for one of a higher priority.
struct Preemptible {
  std::optional<Checkpoint> checkpoint;
  std::int64_t max_preemptions = kDefaultMaxPreemptions;

  static constexpr std::int64_t kDefaultMaxPreemptions = 10;
};

struct Pod {
  StringMap annotations;
  StringMap labels;
  StringMap node_selector;
  std::optional<bool> automount_service_account_token;
  std::string dns_policy;
  bool host_ipc = false;
  bool host_pid = false;
  std::string restart_policy;
  std::string runtime_class_name;
  std::string scheduler_name;
  std::string service_account_name;
  json node_affinity;
  json resources;
  json security_context;
  SharedMemory shared_memory;
  json template_patch;  // RFC 7386, over the Job's pod template
  json tolerations;
};

// The CRD's default, a year.
inline constexpr std::int64_t kDefaultDeadlineSeconds = 31'500'000;

struct Spec {
  std::int64_t size = 1;
  std::int64_t min_size = 0;  // 0: all of size
  std::int64_t max_size = 0;
  std::int64_t tasks = 1;  // 0: one per node
  std::int64_t deadline_seconds = kDefaultDeadlineSeconds;
  std::int64_t drain_seconds = 0;
  std::int64_t linger_seconds = 0;
  std::optional<std::int64_t> metrics_port;
  std::optional<std::int64_t> backoff_limit;
  bool cleanup = false;
  bool interactive = false;
  bool share_process_namespace = false;
  std::string archive_path;
  StringMap job_labels;
  StringMap job_annotations;
  std::string managed_by;  // "": ours
  std::string priority_class_name;
  std::optional<Preemptible> preemptible;
  std::string restart_strategy;  // "": Recreate
  bool suspend = false;
  std::optional<std::chrono::seconds> ttl_seconds_after_finished;
  std::vector<Container> containers;
  std::vector<Container> services;
  Flux flux;
  Gang gang;
  Logging logging;
  Network network;
  Pod pod;
  bool pod_disruption_budget = false;  // podDisruptionBudget.enabled
  Topology topology;
};

struct MiniCluster {
  std::string name;  // "" before the API server has filled in generateName
  std::string generate_name;
  std::string namespace_;
  std::string uid;  // "" before creation
  std::int64_t generation = 0;
  StringMap labels;
  StringMap annotations;
  Spec spec;
  // Resources that are GPUs besides nvidia.com/gpu and amd.com/gpu: not of the API, but of the
  // controller's --gpu-resources.
  std::vector<std::string> more_gpus;
  // Not of the API, but chosen by the controller (reconcile/gang.h).
  PodGroupChoice pod_group;

  // The container that runs Flux; null when there is not exactly one candidate.
  const Container* runner() const;
};

// Whether some brokers of the instance can connect to no other than the lead's: with minimalService
// no other has a DNS name, and one in another cluster cannot resolve those that there are.
bool only_the_lead_is_reachable(const Flux& flux);

// How jobs save their state, with its default signal; 0 seconds and no signal if they do not.
Checkpoint checkpoint_of(const Spec& spec);

inline constexpr std::string_view kInPlace = "InPlace";  // spec.restartStrategy

// Whether the kubelet restarts a failed container in its pod: the Job's restartPolicy is OnFailure.
bool restarts_containers(const Pod& pod);

// The scheduler of the Job's pods; "": Kubernetes' default.
std::string scheduler_name(const Pod& pod);

// spec.gang.kind, or else whose scheduler its name says it is. A scheduler of another name: None,
// but Native if spec.gang.enabled is true.
GangKind wanted_gang_kind(const Spec& spec);

// Reads a MiniCluster object. Never fails: a value of the wrong type is left at its default
// (remove_wrong_types in schema.h reports it to the user). Does not apply the schema's defaults.
MiniCluster parse(const json& object);

// The schema paths that parse reads, in the form of schema.h's property_paths()
// (`spec.containers[].volumes{}.path`); a test compares the two.
std::set<std::string> parsed_paths();

}  // namespace mc::api
