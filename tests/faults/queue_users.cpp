#include "tests/faults/queue_users.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/kube/object.h"
#include "services/api_resources.h"
#include "tests/support/minicluster.h"

namespace mc::test {
namespace {

constexpr std::size_t kMostPods = 4;  // of a MiniCluster
constexpr std::size_t kLeastLimit = 4, kLimits = 4;
constexpr int kTerminated = 249;  // of a broker that gets SIGTERM

constexpr kube::Resource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses",
                                          "PriorityClass", false};
constexpr const char* kUrgent = "queue-faults-urgent";
constexpr const char* kEmergency = "queue-faults-emergency";

json priority_class(const char* name, int value) {
  return {{"apiVersion", "scheduling.k8s.io/v1"},
          {"kind", "PriorityClass"},
          {"metadata", {{"name", name}}},
          {"value", value}};
}

bool has_finished(const json& cluster) {
  return api::true_condition_of(cluster, "Complete") != nullptr ||
         api::true_condition_of(cluster, "Failed") != nullptr;
}

// Kept suspended by the limits.
bool waits(const json& job) {
  return at_path(job, {"spec", "suspend"}) == true &&
         text_at(job, {"metadata", "annotations", api::kQuotaAnnotation}) == api::kWaitsForQuota;
}

}  // namespace

QueueUsers::QueueUsers(const Kubectl& kubectl, std::uint64_t seed)
    : space_(kubectl.namespace_name()), requests_(kubectl), random_(seed) {
  requests_.create(kPriorityClasses, priority_class(kUrgent, 100));
  requests_.create(kPriorityClasses, priority_class(kEmergency, 1000));
  // So that the audit log has each write of it: the API server knows the name of a patch before it
  // decides what to log, but not that of a creation.
  requests_.create(kube::kConfigMaps, {{"apiVersion", "v1"},
                                       {"kind", "ConfigMap"},
                                       {"metadata", {{"name", "minicluster-limits"}}}});
  create_setup();
}

QueueUsers::~QueueUsers() {
  for (const json& setup : requests_.all(kFluxSetups)) {
    requests_.remove(kFluxSetups, name_of(setup));
  }
  requests_.remove(kPriorityClasses, kUrgent);
  requests_.remove(kPriorityClasses, kEmergency);
}

void QueueUsers::act() {
  end_deleted_pods();
  const std::size_t what = pick(100);
  if (what < 45 && make()) return;
  if (what < 55) return end_one();
  if (what < 63) return resume();
  if (what < 75) return setup_.empty() ? create_setup() : change_setup();
  if (what < 79) return setup_.empty() ? create_setup() : delete_setup();
  if (what < 83) return create_setup();
  const std::string name = some();
  if (name.empty()) return;
  if (what < 92) {
    const std::size_t size = 1 + pick(kMostPods);
    requests_.patch(kMiniClusters, name, {{"spec", {{"size", size}}}});
  } else {
    requests_.remove(kMiniClusters, name);
  }
}

bool QueueUsers::make() {
  if (made_ == kClusters) return false;
  json spec = {{"size", 1 + pick(kMostPods)}, {"maxSize", kMostPods}};
  constexpr std::array kDeadlines = {0, 20, 120, 600};
  if (const int deadline = kDeadlines[pick(kDeadlines.size())]; deadline > 0) {
    spec["deadlineSeconds"] = deadline;
  }
  constexpr std::array kClasses = {"", "", kUrgent, kEmergency};
  if (const std::string name = kClasses[pick(kClasses.size())]; !name.empty()) {
    spec["priorityClassName"] = name;
  }
  json cluster = minicluster("c" + std::to_string(++made_), spec);
  cluster["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1";
  requests_.create(kMiniClusters, cluster);
  return true;
}

std::vector<std::string> QueueUsers::living() const {
  std::vector<std::string> out;
  for (const json& cluster : requests_.all(kMiniClusters)) {
    const bool is_deleted = at_path(cluster, {"metadata"}).contains("deletionTimestamp");
    if (!is_deleted && !has_finished(cluster)) out.push_back(name_of(cluster));
  }
  return out;
}

std::string QueueUsers::some() {
  const auto names = living();
  return names.empty() ? "" : names[pick(names.size())];
}

// The newest is in force; of those of the same second, the last name.
void QueueUsers::create_setup() {
  setup_ = space_ + "-" + std::to_string(1000 + ++setups_);
  json setup = {{"apiVersion", "flux-framework.org/v1alpha2"},
                {"kind", "FluxSetup"},
                {"metadata", {{"name", setup_}}},
                {"spec", setup_spec()}};
  requests_.create(kFluxSetups, setup);
}

bool QueueUsers::is_in_force() const {
  const auto all = requests_.all(kFluxSetups);
  return std::ranges::any_of(all, [this](const json& setup) {
    return name_of(setup) == setup_ && api::true_condition_of(setup, "InForce") != nullptr;
  });
}

json QueueUsers::setup_spec() {
  constexpr std::array kStrategies = {"EASYBackfill", "EASYBackfill", "EASYBackfill", "StrictFIFO",
                                      "BestEffortFIFO"};
  limit_ = static_cast<int>(kLeastLimit + pick(kLimits));
  const std::string amount = std::to_string(limit_);
  return {{"queueingStrategy", kStrategies[pick(kStrategies.size())]},
          {"hard", {{"pods", amount}, {"cpu", amount}}},
          {"namespaces", {{{"priorityClassNames", {kUrgent, kEmergency}}}}},
          {"overridePriorityClassNames", {kEmergency}}};
}

void QueueUsers::change_setup() { requests_.patch(kFluxSetups, setup_, {{"spec", setup_spec()}}); }

void QueueUsers::delete_setup() {
  requests_.remove(kFluxSetups, setup_);
  setup_.clear();
}

void QueueUsers::settle() {
  if (setup_.empty()) create_setup();
}

// Somebody resumes a Job that waits.
void QueueUsers::resume() {
  std::vector<std::string> names;
  for (const json& job : requests_.all(kube::kJobs)) {
    if (waits(job)) names.push_back(name_of(job));
  }
  if (names.empty()) return;
  requests_.patch(kube::kJobs, names[pick(names.size())], {{"spec", {{"suspend", false}}}});
}

void QueueUsers::end_one() {
  end_deleted_pods();
  std::vector<json> leads;
  for (const std::string& name : living()) {
    if (json lead = requests_.lead(name); !lead.is_null()) leads.push_back(std::move(lead));
  }
  if (!leads.empty()) requests_.end(leads[pick(leads.size())], 0);
}

void QueueUsers::end_deleted_pods() const {
  for (const json& pod : requests_.all(kube::kPods)) {
    const bool is_deleted = at_path(pod, {"metadata"}).contains("deletionTimestamp");
    if (is_deleted && text_at(pod, {"status", "phase"}) == "Pending") {
      requests_.end(pod, kTerminated);
    }
  }
}

std::vector<std::string> QueueUsers::unended() const {
  std::vector<std::string> out;
  for (const json& cluster : requests_.all(kMiniClusters)) {
    if (!has_finished(cluster)) out.push_back(name_of(cluster) + ": " + cluster["status"].dump());
  }
  return out;
}

}  // namespace mc::test
