#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

// Every name, label and annotation that the operator sets, in one place, so that the webhook can
// check the lengths of the names that the controller makes. Labels that users' tools select by are
// those of the public operator; docs/migrating.md lists the differences.
namespace mc::api {

inline constexpr std::string_view kGroup = "flux-framework.org";
inline constexpr std::string_view kVersion = "v1alpha2";
inline constexpr std::string_view kApiVersion = "flux-framework.org/v1alpha2";
inline constexpr std::string_view kKind = "MiniCluster";
inline constexpr std::string_view kFluxSetupKind = "FluxSetup";
inline constexpr std::array kApiKinds = {kKind, kFluxSetupKind};

// Labels of all our objects.
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedByValue = "minicluster-operator";
inline constexpr std::string_view kClusterLabel = "flux-framework.org/minicluster";
// Label of pods; the headless Service selects by it.
inline constexpr std::string_view kUidLabel = "flux-framework.org/minicluster-uid";

// The label of a MiniCluster whose value is the account that its use counts for, in fair share and
// in the records of ended runs.
inline constexpr std::string_view kAccountLabel = "flux-framework.org/account";

// The label of a Job that Kueue admits and suspends (kueue.sigs.k8s.io, "Run a Job").
inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";

// Annotations of the Job that record how it was made.
inline constexpr std::string_view kMaxSizeAnnotation = "flux-framework.org/max-size";
inline constexpr std::string_view kQuorumAnnotation = "flux-framework.org/quorum";
// The spec.size that was applied last; a queueing system may have reduced it.
inline constexpr std::string_view kSizeAnnotation = "flux-framework.org/size";
// "true" while we suspend the Job, so that we never undo a suspension by another controller.
inline constexpr std::string_view kSuspendedAnnotation = "flux-framework.org/suspended";
// While a FluxSetup's limits keep the Job suspended: kWaitsForQuota, or kQuotaGone if somebody else
// suspended it after it had started, or its release (interpret/deadlock_release.h). Only the resume
// by this controller removes it, so a Job that runs with it was resumed past the limits.
inline constexpr std::string_view kQuotaAnnotation = "flux-framework.org/quota";
inline constexpr std::string_view kWaitsForQuota = "waiting";
inline constexpr std::string_view kQuotaGone = "gone";
// How often the queue has suspended it for others (spec.preemptible), and "true" while it waits
// because of that.
inline constexpr std::string_view kPreemptionsAnnotation = "flux-framework.org/preemptions";
inline constexpr std::string_view kPreemptedAnnotation = "flux-framework.org/preempted";
// The FluxSetup's defaults that it uses, as JSON with the members of spec.flux.
inline constexpr std::string_view kDefaultsAnnotation = "flux-framework.org/flux-defaults";
// A digest of each field of the spec, as JSON.
inline constexpr std::string_view kSpecAnnotation = "flux-framework.org/spec";
// The version that made the Job, and a digest of the names of the files that its pods mount. The
// files are made when the Job starts, perhaps by another version.
inline constexpr std::string_view kScriptsAnnotation = "flux-framework.org/scripts";
// When the Job was scaled below the quorum that its brokers were given (RFC 3339, UTC).
inline constexpr std::string_view kShrunkAtAnnotation = "flux-framework.org/shrunk-at";
// The final condition as JSON, recorded when we make the Job give up: its pods, which show it, are
// deleted.
inline constexpr std::string_view kEndAnnotation = "flux-framework.org/end";
// The same in the format of earlier versions: the command's exit code, or `7: last lines`.
inline constexpr std::string_view kFailureAnnotation = "flux-framework.org/command-failure";
// The fields that the API server dropped from it, by path, with commas.
inline constexpr std::string_view kDroppedAnnotation = "flux-framework.org/dropped-fields";
// The PodGroup that its pods are in: the name of its kind (gang_kind.h), or kNoPodGroup and why the
// spec's wish for one could not be fulfilled. A Job keeps its PodGroup, whatever --gang says later.
inline constexpr std::string_view kPodGroupAnnotation = "flux-framework.org/pod-group";
inline constexpr std::string_view kNoPodGroup = "None: ";
// Value of the quorum annotation if the brokers get the number of pods on admission.
inline constexpr std::string_view kQuorumOfAdmission = "admitted";
inline constexpr std::string_view kJobAnnotations[] = {
    kMaxSizeAnnotation,  kQuorumAnnotation,      kDefaultsAnnotation,  kSpecAnnotation,
    kSizeAnnotation,     kQuotaAnnotation,       kSuspendedAnnotation, kShrunkAtAnnotation,
    kScriptsAnnotation,  kEndAnnotation,         kFailureAnnotation,   kDroppedAnnotation,
    kPodGroupAnnotation, kPreemptionsAnnotation, kPreemptedAnnotation};

// Of an event about the end: the exit code of the command (status.exitCode).
inline constexpr std::string_view kExitCodeAnnotation = "flux-framework.org/exit-code";

// Annotations of FluxSetups: "true" keeps one when a newer one replaces it; the name and spec of
// the one that was replaced, as JSON, on the one that replaced it.
inline constexpr std::string_view kKeepAnnotation = "flux-framework.org/keep";
inline constexpr std::string_view kReplacedAnnotation = "flux-framework.org/replaced";

// The label with which the Job controller numbers the pods of an Indexed Job
// (kubernetes.io/docs/reference/labels-annotations-taints).
inline constexpr std::string_view kJobIndexLabel = "batch.kubernetes.io/job-completion-index";
// The label by which users' Services select the pod of an index, as in the public operator: "0" on
// the lead's, and kServicesIndex on the services pod.
inline constexpr std::string_view kIndexLabel = "job-index";
inline constexpr std::string_view kServicesIndex = "services";

// The beginning of a line of the lead's standard error in its log, with logging.labelStderr.
inline constexpr std::string_view kStderrLabel = "minicluster: stderr: ";
// The line without that label, if it has one.
std::string_view without_stderr_label(std::string_view line);

// The beginning of the line of the lead's log after which its files can be copied (lingerSeconds).
inline constexpr std::string_view kLingers = "minicluster: stays up to ";

// An annotation of the lead's pod: the number of pods that the queue has admitted, if it may admit
// only a part.
inline constexpr std::string_view kAdmittedAnnotation = "flux-framework.org/admitted";
inline constexpr std::string_view kPodAnnotations[] = {kAdmittedAnnotation};
// The file in kEntrypointPath that shows it to the entry point.
inline constexpr std::string_view kAdmittedFile = "admitted";

// Our volumes in the Job's pods, and their mount paths. A user's volume may take neither the name
// of one nor, in a container that mounts it, its path.
inline constexpr std::string_view kViewVolume = "flux-view";
inline constexpr std::string_view kSoftwareVolume = "spack-software";
inline constexpr std::string_view kHomeVolume = "flux-operator-home";
inline constexpr std::string_view kCurveVolume = "flux-operator-curve";
inline constexpr std::string_view kRunnerVolume = "flux-operator-runner";
inline constexpr std::string_view kMungeVolume = "munge-key";
inline constexpr std::string_view kSharedMemoryVolume = "flux-operator-shm";
inline constexpr std::string_view kEntrypointPath = "/flux_operator";
inline constexpr std::string_view kHomePath = "/home/flux-operator";
inline constexpr std::string_view kSoftwarePath = "/opt/software";
inline constexpr std::string_view kMungePath = "/etc/munge";
inline constexpr std::string_view kSharedMemoryPath = "/dev/shm";

// The longest DNS-1123 label.
inline constexpr std::size_t kMaxLabel = 63;

// Whether it is one of kApiKinds.
bool is_api_kind(std::string_view kind);

// metadata.name of a Kubernetes object, otherwise metadata.generateName, otherwise "".
std::string name_of(const json& object);

// The first 8 characters of the uid; "00000000" without a uid, as in offline render.
std::string short_uid(const MiniCluster& cluster);

// m is the MiniCluster's name. The first two are cut to 63 characters if m is long; the uid keeps
// them unique.
std::string config_map_name(const MiniCluster& cluster);    // m-entrypoint-<short uid>
std::string curve_secret_name(const MiniCluster& cluster);  // m-curve-<short uid>
std::string entrypoint_volume(const MiniCluster& cluster);  // m-entrypoint, cut likewise
std::string headless_name(const MiniCluster& cluster);      // spec.network.headlessName, or m
std::string services_pod_name(const MiniCluster& cluster);  // m-services
std::string job_name(const MiniCluster& cluster);           // m
std::string pod_group_name(const MiniCluster& cluster);     // m
// The host name of one broker: m-<index> (Indexed Jobs).
std::string hostname(std::string_view cluster_name, std::int64_t index);

// The port of the brokers, in every pod.
inline constexpr int kBrokerPort = 8050;

// Whether the pods are on the network of their node, and the policy by which these ask the
// cluster's DNS.
bool uses_host_network(const MiniCluster& cluster);
inline constexpr std::string_view kHostNetworkDns = "ClusterFirstWithHostNet";

// The name of the container that runs Flux: the MiniCluster's, as users' tools expect.
std::string runner_container_name(const MiniCluster& cluster);

// Where the runner has the volume for the brokers' certificate, below the view's volume. The
// runtime makes the folders that lead to a mount, and only root may write to them: without an init
// container, which makes config first, there must be none.
std::string curve_path(const MiniCluster& cluster);

// The paths of our volumes in one of spec.containers, and of links to them: no volume may be there.
std::vector<std::string> our_mount_paths(const MiniCluster& cluster, const Container& container);
// The names of our volumes in the Job's pods.
std::vector<std::string> our_volume_names(const MiniCluster& cluster);

// Labels of all objects, by which the controller watches them.
StringMap object_labels(const MiniCluster& cluster);
// Those of the pods, which Services select by. They include those that users of the public operator
// select by: app, app.kubernetes.io/name, hpa-selector, job-name, namespace.
StringMap pod_labels(const MiniCluster& cluster);

// status.selector, which the scale subresource passes to a HorizontalPodAutoscaler.
std::string scale_selector(const MiniCluster& cluster);

}  // namespace mc::api
