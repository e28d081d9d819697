#include "bench/first_output/timeline.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "bench/first_output/objects.h"
#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/text.h"
#include "common/kube/object.h"

namespace mc::bench {
namespace {

constexpr std::string_view kController = "system:serviceaccount:minicluster-system:";
constexpr std::string_view kPhase = "minicluster: phase=";
constexpr int kUnknown = -1;  // pod

// The steps of an object while they are collected.
class Steps {
 public:
  explicit Steps(Moment sent) : sent_(sent) {}

  // Only the first time counts for each pod. kUnknown may stand for several.
  void reach(const char* step, int pod, Moment at) {
    if (pod != kUnknown && !reached_.emplace(step, pod).second) return;
    Reached& reached = steps_[step];
    if (pod == 0) reached.lead = at - sent_;
    if (!(reached.last >= at - sent_)) reached.last = at - sent_;
  }
  // Two moments of the lead.
  void reach_twice(const char* step, Moment first, Moment last) {
    steps_[step] = {.lead = first - sent_, .last = last - sent_};
  }
  Timeline take() && { return std::move(steps_); }

 private:
  Moment sent_;
  std::set<std::pair<std::string, int>> reached_;
  Timeline steps_;
};

int index_of(const json& pod) {
  const std::string text = text_at(pod, {"metadata", "labels", api::kJobIndexLabel});
  return static_cast<int>(parse_integer(text).value_or(kUnknown));
}

void add_writes(const Observed& observed, Steps& steps) {
  for (const Write& write : observed.writes) {
    if (write.ns != observed.ns || write.verb != "create") continue;
    const bool ours = write.user.starts_with(kController);
    if (ours) steps.reach(step::kFirstWrite, 0, write.received);
    const bool named = write.name == observed.name;
    if (named && !ours) steps.reach(step::kStored, 0, write.answered);
    if (named && write.resource == "jobs") steps.reach(step::kJob, 0, write.answered);
  }
}

void add_pods(const Observed& observed, Steps& steps) {
  for (const Arrival& arrival : observed.pods) {
    const int index = index_of(arrival.object);
    steps.reach(step::kPod, index, arrival.at);
    if (!text_at(arrival.object, {"spec", "nodeName"}).empty()) {
      steps.reach(step::kBound, index, arrival.at);
    }
    if (!text_at(arrival.object, {"status", "podIP"}).empty()) {
      steps.reach(step::kAddress, index, arrival.at);
    }
    if (text_at(arrival.object, {"status", "phase"}) == "Succeeded") {
      steps.reach(step::kPodEnd, index, arrival.at);
    }
  }
}

void add_condition(const Arrivals& arrivals, const char* type, const char* step, Steps& steps) {
  for (const Arrival& arrival : arrivals) {
    if (api::true_condition_of(arrival.object, type) != nullptr) steps.reach(step, 0, arrival.at);
  }
}

// The last state of each pod, by name.
std::map<std::string, json> pods_by_name(const Observed& observed) {
  std::map<std::string, json> out;
  for (const Arrival& arrival : observed.pods) {
    out[kube::metadata_text(arrival.object, "name")] = arrival.object;
  }
  return out;
}

// A container of a pod, by its id in the pod's status.
struct Container {
  int pod = kUnknown;
  bool init = false;
};
using Containers = std::map<std::string, Container>;

Containers containers_of(const Observed& observed) {
  constexpr std::string_view kRuntime = "containerd://";
  Containers out;
  for (const Arrival& arrival : observed.pods) {
    for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
      for (const json& status : items_at(arrival.object, {"status", list})) {
        const std::string id = text_at(status, {"containerID"});
        if (!id.starts_with(kRuntime)) continue;
        out[id.substr(kRuntime.size())] = {.pod = index_of(arrival.object), .init = list[0] == 'i'};
      }
    }
  }
  return out;
}

// What no pod's status names is a sandbox.
void add_tasks(const Observed& observed, const std::map<std::string, json>& pods, Steps& steps) {
  const Containers containers = containers_of(observed);
  for (const Task& task : observed.tasks) {
    if (const auto found = containers.find(task.container); found != containers.end()) {
      const auto& [pod, init] = found->second;
      const char* const start = init ? step::kInit : step::kContainer;
      const char* const end = init ? step::kInitEnd : step::kContainerEnd;
      steps.reach(task.ended ? end : start, pod, task.at);
    } else if (!task.ended) {
      const auto pod = pods.find(pod_of(task.container));
      steps.reach(step::kSandbox, pod == pods.end() ? kUnknown : index_of(pod->second), task.at);
    }
  }
}

const char* step_of_phase(std::string_view line) {
  if (!line.starts_with(kPhase)) return nullptr;
  line.remove_prefix(kPhase.size());
  for (const char* phase :
       {step::kConfig, step::kBroker, step::kQuorum, step::kCommand, step::kEnd}) {
    if (line.starts_with(std::string_view(phase).substr(6))) return phase;  // after "phase "
  }
  return nullptr;
}

// A broker's line on a change of its state, `broker.info[RANK]: rc1-success: init->quorum 0.4s`:
// the rank is the index of its pod.
void add_state(const std::string& line, Moment at, Steps& steps) {
  constexpr std::string_view kBrokerInfo = "broker.info[";
  const std::size_t begin = line.find(kBrokerInfo);
  if (begin == std::string::npos) return;
  const std::string rank = line.substr(begin + kBrokerInfo.size());
  const auto number = parse_integer(std::string_view(rank).substr(0, rank.find(']')));
  if (!number) return;
  if (line.contains(" join->")) steps.reach(step::kJoined, static_cast<int>(*number), at);
  if (line.contains(" init->quorum ")) steps.reach(step::kRc1, static_cast<int>(*number), at);
}

void add_log(const json& pod, Steps& steps) {
  std::optional<Moment> first, last;
  const int index = index_of(pod);
  for (const LogLine& line : log_of(pod)) {
    if (line.text == kOutput) {
      first = std::min(first.value_or(line.at), line.at);
      last = std::max(last.value_or(line.at), line.at);
    } else if (line.text == kBegin) {
      steps.reach(step::kBegin, index, line.at);
    } else if (const char* const phase = step_of_phase(line.text)) {
      steps.reach(phase, index, line.at);
    } else {
      add_state(line.text, line.at, steps);
    }
  }
  if (first && last && index == 0) steps.reach_twice(step::kOutput, *first, *last);
}

}  // namespace

Timeline timeline(const Observed& observed) {
  Steps steps(observed.sent);
  const std::map<std::string, json> pods = pods_by_name(observed);
  add_writes(observed, steps);
  add_pods(observed, steps);
  add_condition(observed.jobs, "SuccessCriteriaMet", step::kDecided, steps);
  add_condition(observed.jobs, "Complete", step::kComplete, steps);
  add_condition(observed.clusters, "Complete", step::kClusterComplete, steps);
  add_tasks(observed, pods, steps);
  for (const auto& [name, pod] : pods) add_log(pod, steps);
  return std::move(steps).take();
}

}  // namespace mc::bench
