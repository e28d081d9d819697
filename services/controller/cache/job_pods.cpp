#include "services/controller/cache/job_pods.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/kube/object.h"
#include "services/controller/cache/pod_view.h"

namespace mc::controller {
namespace {

// Reasons of a container that starts as it should (kubelet).
bool is_starting(const std::string& reason) {
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

bool is_well(const json& container) {
  return !container.contains("ended") && is_starting(text_at(container, {"waiting", "reason"}));
}

// An init container has ended before the others run.
bool is_well_or_done(const json& container) {
  if (!is_starting(text_at(container, {"waiting", "reason"}))) return false;
  return !container.contains("ended") || (exit_code(container) == 0 && !is_oom_killed(container) &&
                                          !container.contains("restarted"));
}

bool is_counted(const json& pod) {
  const json& status = at_path(pod, {"status"});
  const std::string phase = text_at(status, {"phase"});
  return index_of(pod) > 0 && !is_deleted(pod) &&
         (phase.empty() || phase == "Pending" || phase == "Running") &&
         !status.contains("unscheduled") && !status.contains("silent") &&
         std::ranges::all_of(items_at(status, {"initContainerStatuses"}), is_well_or_done) &&
         std::ranges::all_of(items_at(status, {"containerStatuses"}), is_well);
}

std::vector<Snapshot> read(const std::vector<kube::Stored<json>>& pods) {
  std::vector<Snapshot> out;
  out.reserve(pods.size());
  for (const kube::Stored<json>& pod : pods) out.push_back(pod.object());
  return out;
}

}  // namespace

bool JobPods::is_only_counted(const std::vector<Pods::const_pointer>& pods) {
  return pods.size() == 1 && pods.front()->second.is_well;
}

void JobPods::count(Job& job, std::int64_t index) {
  const auto at = job.by_index.find(index);
  if (at == job.by_index.end()) return;
  if (!is_only_counted(at->second)) {
    job.read.insert(index);
    return;
  }
  const Pod& pod = at->second.front()->second;
  if (pod.is_ready) ++job.ready;
  ++job.created[pod.created];
  if (pod.is_being_prepared) job.prepared.insert(index);
}

void JobPods::uncount(Job& job, std::int64_t index) {
  const auto at = job.by_index.find(index);
  if (at == job.by_index.end() || job.read.erase(index) > 0) return;
  const Pod& pod = at->second.front()->second;
  if (pod.is_ready) --job.ready;
  const auto created = job.created.find(pod.created);
  if (--created->second == 0) job.created.erase(created);
  job.prepared.erase(index);
}

void JobPods::add(Jobs& jobs, const std::string& key, const kube::Stored<json>& stored) const {
  const std::string uid = stored.owner();
  if (uid.empty()) return;
  const kube::Object object = stored.object();
  Job& job = jobs[uid];
  const Pod pod{
      .stored = stored,
      .index = index_of(*object),
      .created = text_at(*object, {"metadata", "creationTimestamp"}),
      .is_well = is_counted(*object) && (labels_ == IndexLabels::Lead || has_index_label(*object)),
      .is_ready = is_ready(*object),
      .is_being_prepared = is_being_prepared(*object),
      .held = job.tally.add(*object)};
  uncount(job, pod.index);
  auto& pods = job.by_index[pod.index];
  const Pods::const_pointer added = &*job.pods.insert_or_assign(key, pod).first;
  pods.insert(std::ranges::upper_bound(pods, key, {}, &Pods::value_type::first), added);
  count(job, pod.index);
}

void JobPods::remove(Jobs& jobs, const std::string& key, const kube::Stored<json>& stored) {
  const auto found = jobs.find(stored.owner());
  if (found == jobs.end()) return;
  Job& job = found->second;
  const auto gone = job.pods.find(key);
  if (gone == job.pods.end()) return;
  const std::int64_t index = gone->second.index;
  uncount(job, index);
  job.tally.remove(gone->second.held);
  const auto at = job.by_index.find(index);
  std::erase(at->second, &*gone);
  job.pods.erase(gone);
  if (at->second.empty()) job.by_index.erase(at);
  count(job, index);
  if (job.pods.empty()) jobs.erase(found);
}

void JobPods::update(const kube::Change<json>& change) {
  jobs_.with([&](Jobs& jobs) {
    if (change.before) remove(jobs, change.key, change.before);
    if (change.after) add(jobs, change.key, change.after);
  });
}

JobPods::View JobPods::of(const std::string& job_uid) const {
  View out;
  std::vector<kube::Stored<json>> pods;
  jobs_.with([&](const Jobs& jobs) {
    const auto found = jobs.find(job_uid);
    if (found == jobs.end()) return;
    const Job& job = found->second;
    for (const std::int64_t index : job.read) {
      for (const auto* pod : job.by_index.at(index)) pods.push_back(pod->second.stored);
    }
    out.counted.ready = job.ready;
    if (!job.created.empty()) out.counted.newest = job.created.rbegin()->first;
  });
  out.read = read(pods);  // outside the lock
  return out;
}

std::vector<quota::PodGroup> JobPods::holding(const std::string& uid) const {
  return jobs_.with([&](const Jobs& jobs) {
    const auto found = jobs.find(uid);
    return found == jobs.end() ? std::vector<quota::PodGroup>() : found->second.tally.groups();
  });
}

std::size_t JobPods::size(const std::string& job_uid) const {
  return jobs_.with([&](const Jobs& jobs) {
    const auto found = jobs.find(job_uid);
    return found == jobs.end() ? 0 : found->second.by_index.size();
  });
}

std::vector<Snapshot> JobPods::being_prepared(const std::string& job_uid) const {
  return read(jobs_.with([&](const Jobs& jobs) {
    std::vector<kube::Stored<json>> out;
    const auto found = jobs.find(job_uid);
    if (found == jobs.end()) return out;
    for (const std::int64_t index : found->second.prepared) {
      out.push_back(found->second.by_index.at(index).front()->second.stored);
    }
    return out;
  }));
}

}  // namespace mc::controller
