#include "common/render/schedulers.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace mc::render {
namespace {

// Prefixes. Kueue reads the topology from the pod template, and all else from the Job
// (kueue.sigs.k8s.io, "Topology Aware Scheduling"). The coscheduling plugin reads the label
// scheduling.x-k8s.io/pod-group, and Volcano the annotation scheduling.volcano.sh/queue-name, of
// pods.
constexpr std::string_view kOfJob[] = {"kueue.x-k8s.io/", "scheduling.x-k8s.io/",
                                       "scheduling.volcano.sh/"};
constexpr std::string_view kOfPods[] = {"kueue.x-k8s.io/podset-", "scheduling.x-k8s.io/",
                                        "scheduling.volcano.sh/"};

void add(const api::StringMap& from, std::span<const std::string_view> prefixes,
         api::StringMap& to) {
  for (const auto& [key, value] : from) {
    if (std::ranges::any_of(prefixes, [&](auto prefix) { return key.starts_with(prefix); })) {
      to.emplace(key, value);
    }
  }
}

}  // namespace

void add_for_job(const api::StringMap& from, api::StringMap& to) { add(from, kOfJob, to); }

void add_for_pods(const api::StringMap& from, api::StringMap& to) { add(from, kOfPods, to); }

}  // namespace mc::render
