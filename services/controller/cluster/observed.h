#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/gang_kind.h"
#include "services/controller/cluster/quota_reservation.h"
#include "services/controller/cluster/types.h"

namespace mc::controller {

// The pods of a Job of which only numbers are needed (job_pods.h).
struct CountedPods {
  std::int64_t ready = 0;
  std::optional<Time> newest;  // when the youngest was created
};

// A Job that does not exist any more.
struct GoneJob {
  Shared<Job> last;  // as it was seen last
  // Its deletion was reported, so that it was never anything later. Otherwise it may have ended.
  bool seen = false;
};

// A node that does not answer, with one of its pods.
struct LostNode {
  std::string pod, node;
  std::string why;  // the words of its condition Ready; "" if the controller may not read nodes
  bool is_ending = false;  // the pod was told to end
};

// Which pods of a Job get the label job-index (api::kIndexLabel): each costs a write.
enum class IndexLabels { Lead, All };

// The PodGroups of one kind that this controller may use now.
struct PodGroupOffer {
  SharedText api_version;  // that the API server serves; "": none
  // api_version is "": why, as a sentence without a period.
  SharedText why_not = "The controller does not use PodGroups of this kind (--gang-kinds)";

  friend bool operator==(const PodGroupOffer&, const PodGroupOffer&) = default;
};

// What this controller may use for gang scheduling.
struct GangOffer {
  bool by_default = false;  // for each MiniCluster whose spec does not say (--gang)
  std::map<api::GangKind, PodGroupOffer> kinds{};
  bool is_refused = false;  // the API server served PodGroups, and refused one of this MiniCluster

  // Of a kind that is not in `kinds`: nothing is offered.
  const PodGroupOffer& of(api::GangKind kind) const;

  friend bool operator==(const GangOffer&, const GangOffer&) = default;
};

// One MiniCluster and the objects that it owns, as cached at one moment; the caches may be late.
// Every decision is made from this.
struct Observed {
  Shared<MiniCluster> cluster;  // never null
  // Objects whose controller is this cluster. Of pods, the services pod.
  std::vector<Shared<ConfigMap>> config_maps;
  std::vector<Shared<Service>> services;
  std::vector<Shared<PodDisruptionBudget>> pod_disruption_budgets;
  std::vector<Shared<PodGroup>> pod_groups;
  GangOffer gang;
  Pods owned_pods;
  std::vector<Shared<Job>> jobs;
  std::optional<GoneJob> gone;  // the last one, if there is no Job
  std::optional<LostNode> lost_node;
  std::string in_part_with;     // another MiniCluster that may wait for this one, and it for that
  bool yields = false;          // that one is older
  bool has_unseen_job = false;  // the API server has a Job that the caches lack
  Pods pods;                    // of its Job, or of the one that is gone, without the counted ones
  CountedPods counted;
  std::int64_t bound = 0;  // pods of its Job that have a node (bindings.h)
  IndexLabels index_labels = IndexLabels::Lead;
  std::vector<Shared<Event>> refusals;        // why its Job has no pods
  std::vector<Shared<Event>> mount_failures;  // why pods of its Job wait for a volume
  std::vector<Shared<Workload>> workloads;    // Kueue's, of its Job
  QuotaReservation quota;                     // what the limits of a FluxSetup allow

  // The owned object of that kind and name, or null. Includes one that is being deleted: its name
  // is not free yet.
  const Job* find_job(std::string_view name) const;
  const Job* find_job() const { return find_job(cluster->metadata.name); }
  const ConfigMap* find_config_map(std::string_view name) const;
  const Service* find_service(std::string_view name) const;
  const PodDisruptionBudget* find_pod_disruption_budget(std::string_view name) const;
  const PodGroup* find_pod_group(api::GangKind kind) const;  // there is at most one
  const Pod* find_pod(std::string_view name) const;          // among owned_pods
  bool has(std::string_view kind, std::string_view name) const;
};

}  // namespace mc::controller
