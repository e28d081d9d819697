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
         !status.contains("unscheduled") &&
         std::ranges::all_of(items_at(status, {"initContainerStatuses"}), is_well_or_done) &&
         std::ranges::all_of(items_at(status, {"containerStatuses"}), is_well);
}

std::int64_t ready_of(const json& pod) { return at_path(pod, {"status", "ready"}) == true ? 1 : 0; }

std::string created_of(const json& pod) { return text_at(pod, {"metadata", "creationTimestamp"}); }

std::string key_at(const Snapshot& pod) { return kube::key_of(*pod); }

bool is_only_counted(const std::vector<Snapshot>& pods) {
  return pods.size() == 1 && is_counted(*pods.front());
}

}  // namespace

void JobPods::count(Job& job, std::int64_t index) {
  const auto at = job.by_index.find(index);
  if (at == job.by_index.end()) return;
  if (!is_only_counted(at->second)) {
    job.read.insert(index);
    return;
  }
  const json& pod = *at->second.front();
  job.ready += ready_of(pod);
  ++job.created[created_of(pod)];
  if (is_being_prepared(pod)) job.prepared.insert(index);
}

void JobPods::uncount(Job& job, std::int64_t index) {
  const auto at = job.by_index.find(index);
  if (at == job.by_index.end() || job.read.erase(index) > 0) return;
  const json& pod = *at->second.front();
  job.ready -= ready_of(pod);
  const auto created = job.created.find(created_of(pod));
  if (--created->second == 0) job.created.erase(created);
  job.prepared.erase(index);
}

void JobPods::add(Jobs& jobs, const Snapshot& pod) {
  const std::string uid = kube::controller_uid(*pod);
  if (uid.empty()) return;
  Job& job = jobs[uid];
  const std::int64_t index = index_of(*pod);
  uncount(job, index);
  std::vector<Snapshot>& pods = job.by_index[index];
  pods.insert(std::ranges::upper_bound(pods, kube::key_of(*pod), {}, key_at), pod);
  count(job, index);
}

void JobPods::remove(Jobs& jobs, const Snapshot& pod) {
  const auto found = jobs.find(kube::controller_uid(*pod));
  if (found == jobs.end()) return;
  Job& job = found->second;
  const std::int64_t index = index_of(*pod);
  const auto at = job.by_index.find(index);
  if (at == job.by_index.end()) return;
  uncount(job, index);
  const std::string key = kube::key_of(*pod);
  std::erase_if(at->second, [&](const Snapshot& known) { return key_at(known) == key; });
  if (at->second.empty()) job.by_index.erase(at);
  count(job, index);
  if (job.by_index.empty()) jobs.erase(found);
}

void JobPods::update(const kube::Change& change) {
  jobs_.with([&](Jobs& jobs) {
    if (change.before) remove(jobs, change.before);
    if (change.after) add(jobs, change.after);
  });
}

JobPods::View JobPods::of(const std::string& job_uid) const {
  return jobs_.with([&](const Jobs& jobs) {
    View out;
    const auto found = jobs.find(job_uid);
    if (found == jobs.end()) return out;
    const Job& job = found->second;
    for (const std::int64_t index : job.read) {
      const std::vector<Snapshot>& pods = job.by_index.at(index);
      out.read.insert(out.read.end(), pods.begin(), pods.end());
    }
    out.counted.ready = job.ready;
    if (!job.created.empty()) out.counted.newest = job.created.rbegin()->first;
    return out;
  });
}

std::size_t JobPods::size(const std::string& job_uid) const {
  return jobs_.with([&](const Jobs& jobs) {
    const auto found = jobs.find(job_uid);
    return found == jobs.end() ? 0 : found->second.by_index.size();
  });
}

std::vector<Snapshot> JobPods::being_prepared(const std::string& job_uid) const {
  return jobs_.with([&](const Jobs& jobs) {
    std::vector<Snapshot> out;
    const auto found = jobs.find(job_uid);
    if (found == jobs.end()) return out;
    for (const std::int64_t index : found->second.prepared) {
      out.push_back(found->second.by_index.at(index).front());
    }
    return out;
  });
}

}  // namespace mc::controller
