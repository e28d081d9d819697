#include "services/controller/cache/job_pods.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mc::controller {
namespace {

std::string owner_of(const Pod& pod) { return owner_id(pod.metadata.ns, pod.metadata.owner.uid); }

// Reasons of a container that starts as it should (kubelet).
bool is_starting(const std::string& reason) {
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

bool is_well(const Container& container) {
  return !container.ended && is_starting(container.waiting.reason);
}

// An init container has ended before the others run.
bool is_well_or_done(const Container& container) {
  if (!is_starting(container.waiting.reason)) return false;
  return !container.ended ||
         (exit_code(container) == 0 && !is_oom_killed(container) && !container.was_restarted);
}

bool is_counted(const Pod& pod) {
  return pod.index > 0 && !is_deleted(pod.metadata) &&
         (pod.phase == PodPhase::None || pod.phase == PodPhase::Pending ||
          pod.phase == PodPhase::Running) &&
         !pod.unscheduled && !pod.is_silent &&
         std::ranges::all_of(pod.init_containers, is_well_or_done) &&
         std::ranges::all_of(pod.containers, is_well);
}

}  // namespace

bool JobPods::is_only_counted(const std::vector<Entries::const_pointer>& pods) {
  return pods.size() == 1 && pods.front()->second.is_well;
}

void JobPods::count(Job& job, std::int64_t index) {
  const auto at = job.by_index.find(index);
  if (at == job.by_index.end()) return;
  if (!is_only_counted(at->second)) {
    job.read.insert(index);
    return;
  }
  const Pod& pod = *at->second.front()->second.pod;
  if (pod.is_ready) ++job.ready;
  ++job.created[pod.metadata.created];
  if (is_being_prepared(pod)) job.prepared.insert(index);
}

void JobPods::uncount(Job& job, std::int64_t index) {
  const auto at = job.by_index.find(index);
  if (at == job.by_index.end() || job.read.erase(index) > 0) return;
  const Pod& pod = *at->second.front()->second.pod;
  if (pod.is_ready) --job.ready;
  const auto created = job.created.find(pod.metadata.created);
  if (--created->second == 0) job.created.erase(created);
  job.prepared.erase(index);
}

void JobPods::add(Jobs& jobs, const std::string& key, const Shared<Pod>& pod) const {
  if (pod->metadata.owner.uid.empty()) return;
  Job& job = jobs[owner_of(*pod)];
  const Entry entry{
      .pod = pod,
      .is_well = is_counted(*pod) && (labels_ == IndexLabels::Lead || has_index_label(*pod)),
      .held = !is_over(*pod) ? job.tally.add(pod->requests) : nullptr};
  job.bindings.add(*pod);
  uncount(job, pod->index);
  auto& pods = job.by_index[pod->index];
  const Entries::const_pointer added = &*job.pods.insert_or_assign(key, entry).first;
  pods.insert(std::ranges::upper_bound(pods, key, {}, &Entries::value_type::first), added);
  count(job, pod->index);
}

void JobPods::remove(Jobs& jobs, const std::string& key, const Pod& pod) {
  const auto found = jobs.find(owner_of(pod));
  if (found == jobs.end()) return;
  Job& job = found->second;
  const auto gone = job.pods.find(key);
  if (gone == job.pods.end()) return;
  const std::int64_t index = gone->second.pod->index;
  job.bindings.remove(*gone->second.pod);
  uncount(job, index);
  job.tally.remove(gone->second.held);
  const auto at = job.by_index.find(index);
  std::erase(at->second, &*gone);
  job.pods.erase(gone);
  if (at->second.empty()) job.by_index.erase(at);
  count(job, index);
}

// A change of its only pod is a removal and an addition, and does not make it another Job.
void JobPods::settle(Jobs& jobs, const std::string& owner) {
  const auto found = jobs.find(owner);
  if (found == jobs.end()) return;
  found->second.bindings.settle();
  if (found->second.pods.empty()) jobs.erase(found);
}

// A pod says it once, when it ends.
void JobPods::hear(Jobs& jobs, const kube::Change<Pod>& change) {
  if (!change.after) return;
  const Shared<Pod> pod = change.after.object();
  const std::string_view said = outlived_on(*pod);
  if (said.empty() || (change.before && outlived_on(*change.before.object()) == said)) return;
  const auto found = jobs.find(owner_of(*pod));
  if (found == jobs.end() || found->second.outlived.size() >= kMostTold) return;
  found->second.outlived.push_back(pod_name(*pod) + ": " + std::string(said));
}

void JobPods::update(const kube::Change<Pod>& change) {
  jobs_.with([&](Jobs& jobs) {
    if (change.before) remove(jobs, change.key, *change.before.object());
    if (change.after) add(jobs, change.key, change.after.object());
    hear(jobs, change);
    if (change.before) settle(jobs, owner_of(*change.before.object()));
  });
}

std::optional<std::chrono::seconds> JobPods::take_time_to_bind(const std::string& job,
                                                               std::int64_t needed) {
  return jobs_.with([&](Jobs& jobs) -> std::optional<std::chrono::seconds> {
    const auto found = jobs.find(job);
    if (found == jobs.end()) return std::nullopt;
    return found->second.bindings.take_time(needed);
  });
}

std::vector<std::string> JobPods::take_outlived(const std::string& job) {
  return jobs_.with([&](Jobs& jobs) {
    const auto found = jobs.find(job);
    return found == jobs.end() ? std::vector<std::string>()
                               : std::exchange(found->second.outlived, {});
  });
}

void JobPods::lead(const std::string& ns) {
  jobs_.with([&](Jobs& jobs) {
    for (auto& [owner, job] : jobs) {
      if (!ns.empty() && namespace_of(owner) != ns) continue;
      job.bindings.pass_over();
      job.bindings.settle();
      job.outlived.clear();
    }
  });
}

JobPods::View JobPods::of(const std::string& job) const {
  return jobs_.with([&](const Jobs& jobs) {
    View out;
    const auto found = jobs.find(job);
    if (found == jobs.end()) return out;
    const Job& known = found->second;
    for (const std::int64_t index : known.read) {
      for (const auto* entry : known.by_index.at(index)) out.read.push_back(entry->second.pod);
    }
    out.counted.ready = known.ready;
    out.bound = known.bindings.count();
    if (!known.created.empty()) out.counted.newest = known.created.rbegin()->first;
    return out;
  });
}

std::vector<EqualPods> JobPods::holding(const std::string& owner) const {
  return jobs_.with([&](const Jobs& jobs) {
    const auto found = jobs.find(owner);
    return found == jobs.end() ? std::vector<EqualPods>() : found->second.tally.groups();
  });
}

std::vector<EqualPods> JobPods::holding_nodes(const std::string& owner) const {
  return jobs_.with([&](const Jobs& jobs) {
    PodTally out;
    const auto found = jobs.find(owner);
    if (found == jobs.end()) return out.groups();
    for (const auto& [key, entry] : found->second.pods) {
      if (entry.held != nullptr && entry.pod->bound) out.add(entry.held->first);
    }
    return out.groups();
  });
}

std::size_t JobPods::size(const std::string& job) const {
  return jobs_.with([&](const Jobs& jobs) {
    const auto found = jobs.find(job);
    return found == jobs.end() ? 0 : found->second.by_index.size();
  });
}

Pods JobPods::being_prepared(const std::string& job) const {
  return jobs_.with([&](const Jobs& jobs) {
    Pods out;
    const auto found = jobs.find(job);
    if (found == jobs.end()) return out;
    for (const std::int64_t index : found->second.prepared) {
      out.push_back(found->second.by_index.at(index).front()->second.pod);
    }
    return out;
  });
}

}  // namespace mc::controller
