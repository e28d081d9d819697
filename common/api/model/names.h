#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/minicluster.h"

// Every name, label and annotation that the operator gives to something, in one place, so that the
// webhook checks the lengths of what the controller makes. What users' tools select by is kept as
// the public operator has it; docs/migrating.md lists the differences.
namespace mc::api {

inline constexpr std::string_view kGroup = "flux-framework.org";
inline constexpr std::string_view kVersion = "v1alpha2";
inline constexpr std::string_view kApiVersion = "flux-framework.org/v1alpha2";
inline constexpr std::string_view kKind = "MiniCluster";
inline constexpr std::string_view kPlural = "miniclusters";

// Labels of every object of ours.
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedByValue = "minicluster-operator";
inline constexpr std::string_view kClusterLabel = "flux-framework.org/minicluster";
// On pods; what the headless Service selects by.
inline constexpr std::string_view kUidLabel = "flux-framework.org/minicluster-uid";

// The label of a Job that Kueue admits and suspends (kueue.sigs.k8s.io, "Run a Job").
inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";

// Annotations of the Job that keep what it was made with, for as long as it lives.
inline constexpr std::string_view kMaxSizeAnnotation = "flux-framework.org/max-size";
inline constexpr std::string_view kQuorumAnnotation = "flux-framework.org/quorum";
// The spec.size that was applied last; a queueing system may have made less of it.
inline constexpr std::string_view kSizeAnnotation = "flux-framework.org/size";
// "true" while we hold it suspended, so that another's suspension is never undone.
inline constexpr std::string_view kSuspendedAnnotation = "flux-framework.org/suspended";
// A digest of each field of the spec, JSON.
inline constexpr std::string_view kSpecAnnotation = "flux-framework.org/spec";
// When it was made smaller than the quorum that its brokers were told (RFC 3339, UTC).
inline constexpr std::string_view kShrunkAtAnnotation = "flux-framework.org/shrunk-at";
// How it ended, where the Job was told to give up for it: the pods, which say so, go. The condition
// as JSON.
inline constexpr std::string_view kEndAnnotation = "flux-framework.org/end";
// The same as earlier versions wrote it: the command's code, or `7: last lines`.
inline constexpr std::string_view kFailureAnnotation = "flux-framework.org/command-failure";
// What the quorum's annotation says where the brokers are told on admission how many they are.
inline constexpr std::string_view kQuorumOfAdmission = "admitted";
inline constexpr std::string_view kJobAnnotations[] = {
    kMaxSizeAnnotation,   kQuorumAnnotation,   kSpecAnnotation, kSizeAnnotation,
    kSuspendedAnnotation, kShrunkAtAnnotation, kEndAnnotation,  kFailureAnnotation};

// An annotation of the lead's pod: how many pods the queue has admitted, where it may admit a part.
inline constexpr std::string_view kAdmittedAnnotation = "flux-framework.org/admitted";
// The file that shows it to the entry point, in kEntrypointPath.
inline constexpr std::string_view kAdmittedFile = "admitted";

// Volumes of ours in the Job's pods, and where containers have them. A user's volume may take
// neither the name of one nor, in a container that has it, its path.
inline constexpr std::string_view kViewVolume = "flux-view";
inline constexpr std::string_view kSoftwareVolume = "spack-software";
inline constexpr std::string_view kHomeVolume = "flux-operator-home";
inline constexpr std::string_view kCurveVolume = "flux-operator-curve";
inline constexpr std::string_view kRunnerVolume = "flux-operator-runner";
inline constexpr std::string_view kMungeVolume = "munge-key";
inline constexpr std::string_view kEntrypointPath = "/flux_operator";
inline constexpr std::string_view kHomePath = "/home/flux-operator";
inline constexpr std::string_view kSoftwarePath = "/opt/software";
inline constexpr std::string_view kMungePath = "/etc/munge";

// A name is a DNS-1123 label: at most this many characters.
inline constexpr std::size_t kMaxLabel = 63;

// The first 8 characters of the uid ("00000000" where there is none yet, as in offline render).
std::string short_uid(const MiniCluster& cluster);

// These two are cut to 63 characters where m is long; the uid keeps them unique.
std::string config_map_name(const MiniCluster& cluster);    // m-entrypoint-<short uid>
std::string curve_secret_name(const MiniCluster& cluster);  // m-curve-<short uid>
std::string entrypoint_volume(const MiniCluster& cluster);  // m-entrypoint, cut likewise
std::string headless_name(const MiniCluster& cluster);      // spec.network.headlessName, or m
std::string services_pod_name(const MiniCluster& cluster);  // m-services
std::string job_name(const MiniCluster& cluster);           // m
// The host name of one broker: m-<index> (Indexed Jobs).
std::string hostname(std::string_view cluster_name, std::int64_t index);

// The name of the container that runs Flux: that of the MiniCluster, as users' tools expect.
std::string runner_container_name(const MiniCluster& cluster);

// The paths of our volumes in one of spec.containers.
std::vector<std::string> our_mount_paths(const MiniCluster& cluster, const Container& container);
// The names of our volumes in the Job's pods.
std::vector<std::string> our_volume_names(const MiniCluster& cluster);

// Labels of every object, and those of the pods (with what the public operator's users select by:
// app, app.kubernetes.io/name, hpa-selector, job-name, namespace).
StringMap object_labels(const MiniCluster& cluster);
StringMap pod_labels(const MiniCluster& cluster);

// status.selector: what the scale subresource hands to a HorizontalPodAutoscaler.
std::string scale_selector(const MiniCluster& cluster);

}  // namespace mc::api
