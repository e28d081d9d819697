#include "services/controller/metrics/fleet.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/base/rfc3339.h"

namespace mc::controller {
namespace {

using observe::MetricType;
using observe::Sample;

// More would make scrapes large without use. A scrape stays below 100 KiB even with the longest
// names.
constexpr std::size_t kMostNamespaces = 100;
constexpr std::size_t kMostSeriesBytes = std::size_t{64} * 1024;  // of all series with a namespace
constexpr std::size_t kSeriesBytes = 60;  // of one series, without its namespace
constexpr std::size_t kMostReasons = 30;
const std::string kOther = "(other)";  // not a valid namespace or reason

constexpr std::array kReadyBuckets = {1.0,  2.0,   5.0,   10.0,  20.0,   30.0,
                                      60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0};
constexpr std::array kFinishedBuckets = {5.0,   10.0,   30.0,   60.0,   120.0,   300.0,
                                         600.0, 1800.0, 3600.0, 7200.0, 21600.0, 86400.0};

observe::Histogram time_to_finished(observe::Registry& registry, std::string_view outcome) {
  return registry.histogram("minicluster_time_to_finished_seconds",
                            "Seconds from a MiniCluster's creation to its end.", kFinishedBuckets,
                            {{"outcome", std::string(outcome)}});
}

bool is_true(const MiniCluster& cluster, std::string_view type) {
  return api::find_true_condition(cluster.status.conditions, type) != nullptr;
}

// The reason of Ready, which `kubectl get` shows as WHY; "" if Ready is true or not known yet.
std::string why_not_ready(const MiniCluster& cluster) {
  const auto* ready = api::find_condition(cluster.status.conditions, api::kReady);
  return ready == nullptr || ready->is_true() ? "" : ready->reason;
}

std::string phase_of(const MiniCluster& cluster) {
  const std::string& phase = cluster.status.phase;
  return std::ranges::find(api::kPhases, phase) == api::kPhases.end() ? api::kPhasePending : phase;
}

// Seconds from its creation to the last transition of the condition.
std::optional<double> seconds_to(const MiniCluster& cluster, std::string_view type) {
  const auto* found = api::find_condition(cluster.status.conditions, type);
  const auto begin = cluster.metadata.created;
  if (found == nullptr || !begin) return std::nullopt;
  const auto end = parse_rfc3339(found->last_transition_time);
  if (!end) return std::nullopt;
  return std::max(0.0, std::chrono::duration<double>(*end - *begin).count());
}

using Counts = std::map<std::string, std::int64_t>;

void count(Counts& counts, const std::string& key, std::int64_t by) {
  const auto at = counts.try_emplace(key, 0).first;
  at->second += by;
  if (at->second == 0) counts.erase(at);
}

// At most `most` names, sorted by count, the highest first, then by name.
std::vector<std::string> largest(const Counts& counts, std::size_t most) {
  std::vector<std::pair<std::int64_t, std::string>> sizes;
  sizes.reserve(counts.size());
  for (const auto& [name, number] : counts) sizes.emplace_back(number, name);
  std::ranges::sort(sizes, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (sizes.size() > most) sizes.resize(most);
  std::vector<std::string> names;
  std::ranges::copy(std::views::values(sizes), std::back_inserter(names));
  return names;
}

}  // namespace

ObjectMetrics::ObjectMetrics(observe::Registry& registry) {
  for (const char* kind : {"ConfigMap", "Secret", "Service", "PodDisruptionBudget", "Job", "Pod"}) {
    by_kind_.emplace(
        kind, registry.counter("minicluster_objects_created_total",
                               "Objects created for MiniClusters, by kind.", {{"kind", kind}}));
  }
}

void ObjectMetrics::created(const std::string& kind) {
  if (const auto found = by_kind_.find(kind); found != by_kind_.end()) found->second.add();
}

Fleet::Fleet(observe::Registry& registry, kube::StoreSet<MiniCluster>& clusters)
    : time_to_ready_(registry.histogram("minicluster_time_to_ready_seconds",
                                        "Seconds from a MiniCluster's creation to its first Ready.",
                                        kReadyBuckets)),
      time_to_complete_(time_to_finished(registry, api::kComplete)),
      time_to_failed_(time_to_finished(registry, api::kFailed)) {
  registry.collect({"minicluster_clusters",
                    MetricType::Gauge,
                    "MiniClusters, by status.phase.",
                    {"namespace", "phase"}},
                   [this] { return this->clusters(); });
  registry.collect({"minicluster_pods_wanted",
                    MetricType::Gauge,
                    "Pods wanted by MiniClusters that are Starting or Running (status.size).",
                    {"namespace"}},
                   [this] { return pods(&Sums::wanted); });
  registry.collect({"minicluster_pods_ready",
                    MetricType::Gauge,
                    "Ready pods of MiniClusters that are Starting or Running (status.ready).",
                    {"namespace"}},
                   [this] { return pods(&Sums::ready); });
  registry.collect({"minicluster_not_ready",
                    MetricType::Gauge,
                    "MiniClusters that are not Ready and have not ended, by the reason that "
                    "kubectl get shows.",
                    {"reason"}},
                   [this] { return not_ready(); });
  clusters.observe([this](const kube::Change<MiniCluster>& change) {
    update(change.before.object().get(), change.after.object().get());
  });
}

void Fleet::lead() { leads_ = true; }

void Fleet::update(const MiniCluster* before, const MiniCluster* after) {
  // This controller writes no status for it, so nothing is known of it.
  const auto is_others = [](const MiniCluster* one) {
    return one != nullptr && one->is_managed_by_other;
  };
  if (is_others(before)) before = nullptr;
  if (is_others(after)) after = nullptr;
  const std::scoped_lock lock(mutex_);
  const bool is_same =
      before != nullptr && after != nullptr && before->metadata.uid == after->metadata.uid;
  const Seen was = before == nullptr ? Seen() : seen_of(*before);
  if (before != nullptr) add(was, -1);
  if (before != nullptr && !is_same) were_ready_.erase(before->metadata.uid);
  if (after == nullptr) return;
  const Seen now = seen_of(*after);
  add(now, 1);
  if (is_same && leads_) count_times(was, now, *after);
  if (now.is_ready) were_ready_.insert(after->metadata.uid);
}

Fleet::Seen Fleet::seen_of(const MiniCluster& cluster) {
  Seen out;
  out.ns = cluster.metadata.ns;
  out.phase = phase_of(cluster);
  out.finished = is_finished(cluster.status);
  // Once it has ended, Ready says how.
  out.is_ready = !out.finished && is_true(cluster, api::kReady);
  if (!out.finished) out.waits_for = why_not_ready(cluster);
  if (out.phase == api::kPhaseStarting || out.phase == api::kPhaseRunning) {
    out.wanted = cluster.status.size.value_or(0);
    out.ready = cluster.status.ready.value_or(0);
  }
  return out;
}

void Fleet::add(const Seen& seen, std::int64_t sign) {
  Sums& sums = sums_[seen.ns];
  count(sums.phases, seen.phase, sign);
  sums.wanted += sign * seen.wanted;
  sums.ready += sign * seen.ready;
  sums.clusters += sign;
  if (sums.clusters == 0) sums_.erase(seen.ns);
  if (!seen.waits_for.empty()) count(reasons_, seen.waits_for, sign);
}

void Fleet::count_times(const Seen& before, const Seen& after, const MiniCluster& cluster) {
  if (after.is_ready && !were_ready_.contains(cluster.metadata.uid)) {
    if (const auto took = seconds_to(cluster, api::kReady)) time_to_ready_.observe(*took);
  }
  if (!after.finished || before.finished) return;
  const bool complete = is_true(cluster, api::kComplete);
  const auto took = seconds_to(cluster, complete ? api::kComplete : api::kFailed);
  if (took) (complete ? time_to_complete_ : time_to_failed_).observe(*took);
}

Fleet::Table Fleet::table() const {
  if (!leads_) return {};
  const std::scoped_lock lock(mutex_);
  Counts sizes;
  for (const auto& [ns, sums] : sums_) sizes.emplace(ns, sums.clusters);
  std::set<std::string> shown;
  std::size_t bytes = 0;
  for (const std::string& ns : largest(sizes, kMostNamespaces)) {
    bytes += (sums_.at(ns).phases.size() + 2) * (kSeriesBytes + ns.size());
    if (bytes > kMostSeriesBytes) break;
    shown.insert(ns);
  }
  Table out;
  for (const auto& [ns, sums] : sums_) {
    Sums& to = out[shown.contains(ns) ? ns : kOther];
    for (const auto& [phase, number] : sums.phases) to.phases[phase] += number;
    to.wanted += sums.wanted;
    to.ready += sums.ready;
  }
  return out;
}

std::vector<Sample> Fleet::clusters() const {
  std::vector<Sample> out;
  for (const auto& [ns, sums] : table()) {
    for (const auto& [phase, number] : sums.phases) {
      out.push_back({{ns, phase}, static_cast<double>(number)});
    }
  }
  return out;
}

std::vector<Sample> Fleet::pods(std::int64_t Sums::* count) const {
  std::vector<Sample> out;
  for (const auto& [ns, sums] : table()) {
    out.push_back({{ns}, static_cast<double>(sums.*count)});
  }
  return out;
}

std::vector<Sample> Fleet::not_ready() const {
  if (!leads_) return {};
  const std::scoped_lock lock(mutex_);
  const std::vector<std::string> most = largest(reasons_, kMostReasons);
  const std::set<std::string> shown(most.begin(), most.end());
  Counts sums;
  for (const auto& [reason, number] : reasons_) {
    sums[shown.contains(reason) ? reason : kOther] += number;
  }
  std::vector<Sample> out;
  out.reserve(sums.size());
  for (const auto& [reason, number] : sums) out.push_back({{reason}, static_cast<double>(number)});
  return out;
}

}  // namespace mc::controller
