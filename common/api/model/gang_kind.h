#pragma once
#include <string>
#include <string_view>

namespace mc::api {

// Whose PodGroup the pods of a MiniCluster are in (spec.gang.kind).
enum class GangKind { None, Native, Coscheduling, Volcano };

struct GangKindFacts {
  GangKind kind = GangKind::None;
  std::string_view name;       // in spec.gang.kind and --gang-kinds
  std::string_view scheduler;  // the schedulerName that it is installed with
  // Of its PodGroups: apiVersions that we know, the newest first; "": no more.
  std::string_view versions[2];
};

// Native: kube-scheduler with the feature gate GenericWorkload (Kubernetes 1.36 and newer).
// Coscheduling: sigs.k8s.io/scheduler-plugins. Volcano: volcano.sh.
inline constexpr GangKindFacts kGangKinds[] = {
    {GangKind::Native,
     "Native",
     "default-scheduler",
     {"scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha2"}},
    {GangKind::Coscheduling,
     "Coscheduling",
     "scheduler-plugins-scheduler",
     {"scheduling.x-k8s.io/v1alpha1"}},
    {GangKind::Volcano, "Volcano", "volcano", {"scheduling.volcano.sh/v1beta1"}},
};

// Not of None.
const GangKindFacts& facts_of(GangKind kind);

// None for any other name.
GangKind gang_kind(std::string_view name);

// Whose scheduler usually has that name; "" is Kubernetes' own. None: it is not known.
GangKind kind_of_scheduler(std::string_view name);

// Whose PodGroups have that apiVersion.
GangKind kind_of_version(std::string_view api_version);

// What the pods are in: a PodGroup of that kind and apiVersion.
struct PodGroupChoice {
  GangKind kind = GangKind::None;
  std::string api_version{};  // "": of None, or the API server serves none now

  friend bool operator==(const PodGroupChoice&, const PodGroupChoice&) = default;
};

}  // namespace mc::api
