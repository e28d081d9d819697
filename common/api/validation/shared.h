#pragma once
#include <cstdint>
#include <string_view>

// Limits and words of rules that are also in the admission policies (common/api/policies).
namespace mc::api {

// The Job controller computes a deadline in nanoseconds. More seconds than this overflow to a time
// in the past, which ends the Job at once (k8s.io/kubernetes/pkg/controller/job).
inline constexpr std::int64_t kMostDeadline = 9223372036;
inline constexpr std::string_view kAtMost = "must be less than or equal to ";

// Labels that the Job controller sets on pods and Job: its selector and the indexes of the pods
// depend on them.
inline constexpr std::string_view kJobLabels[] = {
    "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-name", "controller-uid", "job-name"};
inline constexpr std::string_view kOfTheJob = "is a label that the Job controller sets";
inline constexpr std::string_view kOfTheGroup =
    "labels of flux-framework.org are reserved for the operator";

inline constexpr std::string_view kNoStandardResource =
    "must be a standard resource for containers: cpu, memory, ephemeral-storage or "
    "hugepages-SIZE; a device needs its vendor as a prefix (e.g. 'nvidia.com/gpu')";
inline constexpr std::string_view kNotWhole = "must be an integer";
inline constexpr std::string_view kLimitOf = " limit of ";
inline constexpr std::string_view kNoLimit = "a limit must be set, equal to the request of ";
inline constexpr std::string_view kNoRuntimeClass =
    "the API server accepts resources of the pod itself only as the overhead of a RuntimeClass: "
    "set requests and limits on the containers, or set spec.pod.runtimeClassName";

inline constexpr std::string_view kColonInPath = "must not contain ':'";
inline constexpr std::string_view kRootAsPath =
    "must be a folder below /: a volume at / itself would hide the image";
inline constexpr std::string_view kIsPathOf = "is the path of ";
inline constexpr std::string_view kNoPath =
    "an absolute path in the container; without a source such as claimName or hostPath, the volume "
    "is an empty directory";
inline constexpr std::string_view kNoPathOf = " needs an absolute path in the container";

inline constexpr std::string_view kIsNameOf = "is the name of ";
inline constexpr std::string_view kTheView = "the init container (spec.flux.container.name)";
inline constexpr std::string_view kNamesTheService =
    "; the Service of a container with ports has the same name";

inline constexpr std::string_view kImmutable =
    "field is immutable: to change it, delete the MiniCluster and create it again";

}  // namespace mc::api
