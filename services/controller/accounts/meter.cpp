#include "services/controller/accounts/meter.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/pod_view.h"

namespace mc::controller::accounts {
namespace {

// How long a pod counts.
struct Held {
  std::optional<Time> since;  // it has a node
  bool is_over = false;

  friend bool operator==(const Held&, const Held&) = default;
};

// A clock that is behind the API server's does not make it older than its object.
Held held_by(const Pod* pod) {
  if (pod == nullptr) return {};
  Held out{.since = pod->bound ? pod->bound : pod->started,
           .is_over = pod->phase == PodPhase::Succeeded || pod->phase == PodPhase::Failed};
  if (out.since && pod->metadata.created) {
    out.since = std::max(*out.since, *pod->metadata.created);
  }
  return out;
}

// When its last container ended. Nothing if the kubelet has not said so: the pod is Failed because
// its node is gone, and its containers have run until now, as far as anybody knows.
std::optional<Time> last_end(const Pod& pod) {
  std::optional<Time> out;
  const auto is_open = [](const Container& one) { return !one.ended || one.was_restarted; };
  if (std::ranges::any_of(pod.containers, is_open)) return out;
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& one : *containers) {
      if (one.ended && one.ended->finished) {
        out = std::max(out.value_or(*one.ended->finished), *one.ended->finished);
      }
    }
  }
  return out;
}

std::int64_t seconds_of(Time time) { return time.time_since_epoch().count(); }

std::int64_t seconds_between(Time since, Time until) {
  return std::max<std::int64_t>((until - since).count(), 0);
}

// How many pods must have a node for the command to start.
std::int64_t needed_pods(const Job& job) {
  const std::int64_t quorum = parse_integer(job.notes.quorum).value_or(0);
  return quorum > 0 ? quorum : job.parallelism.value_or(1);
}

bool is_of(const Job& job, const Shared<MiniCluster>& cluster) {
  return cluster != nullptr && job.metadata.owner.uid == cluster->metadata.uid;
}

bool is_same(const Shared<Job>& a, const Shared<Job>& b) {
  return a != nullptr && b != nullptr && a->metadata.uid == b->metadata.uid;
}

// Whether somebody has suspended a Job that ran, and not to end it.
bool was_suspended(const Shared<Job>& before, const Job& after) {
  return before != nullptr && !before->conditions.suspended && after.conditions.suspended &&
         !has_ended(after);
}

}  // namespace

bool is_over(const Job& job) {
  if (job.conditions.complete || job.conditions.failed) return true;
  // It was made to give up.
  return job.conditions.suspended && job.active == 0 && job.terminating == 0 && has_ended(job);
}

Meter::Run* Meter::find(const std::string& key, const std::string& uid) {
  const auto all = runs_.find(key);
  if (all == runs_.end()) return nullptr;
  const auto found = std::ranges::find(all->second, uid, &Run::uid);
  return found == all->second.end() ? nullptr : &*found;
}

Meter::Run& Meter::run_of(const std::string& key, const std::string& uid) {
  if (Run* const known = find(key, uid)) return *known;
  Run& made = runs_[key].emplace_back();
  made.uid = uid;
  return made;
}

void Meter::forget(const std::string& key, const std::string& uid) {
  const auto all = runs_.find(key);
  if (all == runs_.end()) return;
  std::erase_if(all->second, [&](const Run& run) { return run.uid == uid; });
  if (all->second.empty()) runs_.erase(all);
}

void Meter::keep_gone(const std::string& key, const std::string& uid) {
  gone_.emplace_back(key, uid);
  if (gone_.size() <= kMostGone) return;
  forget(gone_.front().first, gone_.front().second);
  gone_.pop_front();
}

// When the last of the pods that the command needs got its node, for the first time.
void Meter::settle(Run& run) {
  if (run.placed || run.job == nullptr || !run.last_placed) return;
  if (run.open + run.succeeded >= needed_pods(*run.job)) run.placed = run.last_placed;
}

// What its pods have used so far.
std::int64_t Meter::seconds_until(const Run& run, Time now) {
  const std::int64_t open = run.open * seconds_of(now) - run.open_since;
  return run.closed_pod_seconds + std::max<std::int64_t>(open, 0);
}

// Its pods have ended, and new ones follow, if at all.
void Meter::end_start(Run& run, Time now) {
  const std::int64_t all = seconds_until(run, now);
  const std::int64_t of_start = all - run.seconds_before;
  if (run.is_preempted) run.preempted_seconds += of_start;
  if (run.is_preempted && run.had_to_end_jobs) run.unsaved_seconds += of_start;
  run.seconds_before = all;
  run.is_preempted = run.had_to_end_jobs = false;
}

bool Meter::update(const std::string& key, const Shared<Job>& before, const Shared<Job>& after,
                   bool by_spec, Time now) {
  bool out = false;
  if (before != nullptr && !is_same(before, after)) {
    Run& run = run_of(key, before->metadata.uid);
    const bool is_taken = run.is_taken;
    run.job = before;
    run.gone = now;
    if (is_taken) {
      forget(key, before->metadata.uid);
    } else {
      keep_gone(key, before->metadata.uid);
    }
    out = !is_taken;
  }
  if (after == nullptr) return out;
  Run& run = run_of(key, after->metadata.uid);
  const Shared<Job> known = is_same(before, after) ? before : nullptr;
  if (run.has_started && !by_spec && was_suspended(known, *after)) {
    ++run.preemptions;
    run.is_preempted = true;
  }
  if (known != nullptr && known->conditions.suspended && !after->conditions.suspended) {
    end_start(run, now);
  }
  run.job = after;
  if (after->started) run.has_started = true;
  settle(run);
  return out || (!run.is_taken && is_over(*after));
}

bool Meter::update(const std::string& key, const Shared<MiniCluster>& before,
                   const Shared<MiniCluster>& after) {
  const auto all = runs_.find(key);
  if (all == runs_.end()) return false;
  const bool is_gone =
      before != nullptr && (after == nullptr || after->metadata.uid != before->metadata.uid);
  const bool has_end = after != nullptr && is_finished(after->status);
  if (!is_gone && !has_end) return false;
  bool out = false;
  for (Run& run : all->second) {
    if (run.job == nullptr || run.is_taken) continue;
    if (is_gone && is_of(*run.job, before)) run.cluster = before;
    out = out || run.gone || is_over(*run.job);
  }
  return out;
}

// Called for each change of a pod, of which few are of interest.
void Meter::update(const std::string& key, const std::string& job, const Pod* before,
                   const Pod* after, Time now) {
  if (after != nullptr && !outlived_on(*after).empty()) {
    if (Run* const known = find(key, job)) known->had_to_end_jobs = true;
  }
  if (held_by(before) == held_by(after)) return;
  // A pod may outlive its Job, whose run was taken with it.
  const bool is_known = find(key, job) != nullptr;
  if (after == nullptr && !is_known) return;
  const Held was = is_known ? held_by(before) : Held(), is = held_by(after);
  Run& run = run_of(key, job);
  const auto close = [&](Time since, Time until) {
    run.closed_pod_seconds += seconds_between(since, until);
  };
  if (was.since && !was.is_over) {
    --run.open;
    run.open_since -= seconds_of(*was.since);
  }
  if (is.since && !is.is_over) {
    ++run.open;
    run.open_since += seconds_of(*is.since);
  }
  if (is.since) {
    run.last_placed = std::max(run.last_placed.value_or(*is.since), *is.since);
    run.has_started = true;
  }
  if (is.is_over && is.since && !was.is_over) {
    // Of one that is seen only now, nobody knows how long it has run.
    close(*is.since, last_end(*after).value_or(before == nullptr ? *is.since : now));
    if (after->phase == PodPhase::Succeeded) ++run.succeeded;
  }
  if (after == nullptr && was.since && !was.is_over) close(*was.since, now);
  settle(run);
  if (after == nullptr && run.job == nullptr && run.open <= 0) forget(key, job);
}

EndedRun Meter::ended(Run& run, const Shared<MiniCluster>& cluster, Time now) {
  const bool has_end = cluster != nullptr && is_finished(cluster->status);
  Time end = run.gone.value_or(now);
  if (run.job->completed) end = *run.job->completed;
  if (has_end && cluster->status.completed) end = *cluster->status.completed;
  end_start(run, end);
  const bool saves = cluster != nullptr && cluster->has_checkpoint;
  return {.job = run.job,
          .cluster = cluster,
          .placed = run.placed,
          .gone = run.gone,
          .end = end,
          .pod_seconds = seconds_until(run, end),
          .preemptions = run.preemptions,
          .lost_pod_seconds = saves ? run.unsaved_seconds : run.preempted_seconds,
          .may_be_there = run.may_be_there};
}

std::vector<EndedRun> Meter::take(const std::string& key, const Shared<MiniCluster>& cluster,
                                  Time now) {
  std::vector<EndedRun> out;
  const auto all = runs_.find(key);
  if (all == runs_.end()) return out;
  for (Run& run : all->second) {
    const bool has_ended = run.job != nullptr && (run.gone || is_over(*run.job));
    if (!has_ended || run.is_taken) continue;
    const bool is_there = is_of(*run.job, cluster);
    const bool says_more = is_there && !is_deleted(cluster->metadata) &&
                           !is_finished(cluster->status) && is_over(*run.job);
    if (says_more) continue;
    run.is_taken = true;
    const Shared<MiniCluster>& of = is_there ? cluster : run.cluster;
    if (run.has_started || (of != nullptr && of->status.started)) {
      out.push_back(ended(run, of, now));
    }
  }
  std::erase_if(all->second, [](const Run& run) { return run.is_taken && run.gone; });
  if (all->second.empty()) runs_.erase(all);
  return out;
}

std::vector<std::string> Meter::lead(const std::string& ns) {
  std::vector<std::string> out;
  for (auto& [key, all] : runs_) {
    if (!ns.empty() && namespace_of(key) != ns) continue;
    bool has_ended = false;
    for (Run& run : all) {
      run.may_be_there = run.job != nullptr && (run.gone || is_over(*run.job));
      has_ended = has_ended || run.may_be_there;
    }
    if (has_ended) out.push_back(key);
  }
  return out;
}

}  // namespace mc::controller::accounts
