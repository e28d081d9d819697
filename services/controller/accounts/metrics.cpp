#include "services/controller/accounts/metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mc::controller::accounts {
namespace {

using observe::MetricType;
using observe::Sample;

// Beyond these, a namespace counts as kOtherNamespace, and a resource not at all. A scrape stays
// below 100 KiB.
constexpr std::size_t kMostNamespaces = 100, kMostResourceSeries = 400, kMostOfOthers = 20;
const std::string kOtherNamespace = "(other)";  // not a valid namespace

constexpr std::array kStartWaitBuckets = {1.0,    5.0,     15.0,    60.0,    300.0,   900.0,
                                          3600.0, 10800.0, 43200.0, 86400.0, 259200.0};

// By the number of pods.
struct SizeClass {
  std::int64_t most;
  const char* label;
};
constexpr std::array kSizeClasses = {SizeClass{1, "1"}, SizeClass{8, "2-8"}, SizeClass{64, "9-64"},
                                     SizeClass{INT64_MAX, ">64"}};

}  // namespace

UseMetrics::UseMetrics(observe::Registry& registry)
    : dropped_(registry.counter("minicluster_accounts_dropped_total",
                                "Runs that ended and have no record, because their namespace "
                                "refuses the ConfigMap minicluster-accounts or is being deleted.")),
      errors_(registry.counter("minicluster_accounts_errors_total",
                               "Failed tries to write a ConfigMap minicluster-accounts.")) {
  for (const SizeClass& size : kSizeClasses) {
    wait_.push_back(registry.histogram(
        "minicluster_start_wait_seconds",
        "Seconds from the creation of a MiniCluster's Job until the pods that its command needs "
        "have nodes, by the number of pods. Observed when it ends.",
        kStartWaitBuckets, {{"pods", size.label}}));
  }
  registry.collect({"minicluster_used_pod_seconds_total",
                    MetricType::Counter,
                    "Seconds for which pods of ended MiniClusters had a node, by namespace.",
                    {"namespace"}},
                   [this] { return pod_seconds(); });
  registry.collect({"minicluster_used_resource_seconds_total",
                    MetricType::Counter,
                    "What those pods requested times these seconds, by resource: cores, bytes or "
                    "pieces.",
                    {"namespace", "resource"}},
                   [this] { return resource_seconds(); });
}

double& UseMetrics::of_namespace(Sums& sums, const std::string& ns) {
  const bool has_place = sums.pod_seconds.contains(ns) || sums.pod_seconds.size() < kMostNamespaces;
  return sums.pod_seconds[has_place ? ns : kOtherNamespace];
}

double* UseMetrics::of_resource(Sums& sums, const std::string& ns, const std::string& resource) {
  const bool is_shown = sums.pod_seconds.contains(ns);
  auto& all = sums.resource_seconds;
  const std::pair own(is_shown ? ns : kOtherNamespace, resource), other(kOtherNamespace, resource);
  if (const auto there = all.find(own); there != all.end()) return &there->second;
  if (is_shown && all.size() < kMostResourceSeries) return &all[own];
  if (const auto there = all.find(other); there != all.end()) return &there->second;
  return all.size() < kMostResourceSeries + kMostOfOthers ? &all[other] : nullptr;
}

void UseMetrics::begin(const std::string& ns, const api::Amounts& requests) {
  sums_.with([&](Sums& sums) {
    of_namespace(sums, ns);
    for (const auto& [resource, amount] : requests) of_resource(sums, ns, resource);
  });
}

void UseMetrics::add(const std::string& ns, const api::RunRecord& run) {
  sums_.with([&](Sums& sums) {
    of_namespace(sums, ns) += static_cast<double>(run.use.pod_seconds);
    for (const auto& [resource, used] : run.use.resource_seconds) {
      if (double* const to = of_resource(sums, ns, resource)) *to += used;
    }
  });
  if (!run.started) return;
  const auto size = std::ranges::find_if(
      kSizeClasses, [&](const SizeClass& one) { return run.pods <= one.most; });
  wait_[static_cast<std::size_t>(size - kSizeClasses.begin())].observe(
      static_cast<double>(run.use.wait_seconds));
}

std::vector<Sample> UseMetrics::pod_seconds() const {
  if (!leads_) return {};
  return sums_.with([](const Sums& sums) {
    std::vector<Sample> out;
    out.reserve(sums.pod_seconds.size());
    for (const auto& [ns, seconds] : sums.pod_seconds) out.push_back({{ns}, seconds});
    return out;
  });
}

std::vector<Sample> UseMetrics::resource_seconds() const {
  if (!leads_) return {};
  return sums_.with([](const Sums& sums) {
    std::vector<Sample> out;
    out.reserve(sums.resource_seconds.size());
    for (const auto& [of, seconds] : sums.resource_seconds) {
      out.push_back({{of.first, of.second}, seconds});
    }
    return out;
  });
}

}  // namespace mc::controller::accounts
