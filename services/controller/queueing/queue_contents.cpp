#include "services/controller/queueing/queue_contents.h"

#include <ranges>
#include <set>
#include <utility>

#include "services/controller/queueing/queue.h"

namespace mc::controller::queueing {

// The decision is made anew, for the reasons: as the thread of the queue would make it now.
QueueContents Queue::contents(std::size_t most, Time now) const {
  const std::scoped_lock lock(mutex_);
  QueueContents out;
  out.now = now;
  out.policy = policy_;
  out.why = why_;
  out.used = usage_.cluster();
  out.under_way = under_way_.size();
  out.admitted_count = usage_.size();
  out.pending_count = pending_.size();
  out.growing_count = growing_.size();
  out.admitted = first_admitted(most);
  if (!policy_) {
    for (const Waiting& one : pending_ | std::views::take(most)) {
      out.pending.push_back({one, workloads_.at(one.key()).start.size, false, {}, {}, {}});
    }
    out.growing = first_growing(most, nullptr);
    return out;
  }
  for (const auto& [ns, unused] : policy_->limits.namespaces) out.used_in[ns] = usage_.in(ns);
  Schedule schedule = this->schedule(*policy_, now);
  if (schedule.head() != nullptr) out.head = schedule.head()->key();
  out.promise = schedule.promise();
  if (fair_share_) out.uses = fair_share_->uses(now);
  out.pending = first_pending(most, schedule);
  out.growing = first_growing(most, &schedule.left());
  return out;
}

std::vector<QueueContents::Admitted> Queue::first_admitted(std::size_t most) const {
  std::vector<QueueContents::Admitted> out;
  for (const auto& [key, running] : usage_.running() | std::views::take(most)) {
    QueueContents::Admitted one{running, "", 0, 0};
    if (const auto known = workloads_.find(key); known != workloads_.end()) {
      one.job = known->second.job;
      one.pods = known->second.size;
    }
    if (const Entry* entry = under_way_.granted(key)) one.grant = entry->size;
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<QueueContents::InQueue> Queue::first_pending(std::size_t most,
                                                         Schedule& schedule) const {
  const std::set<const Waiting*> admitted(schedule.admitted().begin(), schedule.admitted().end());
  std::vector<QueueContents::InQueue> out;
  for (const Waiting& one : pending_ | std::views::take(most)) {
    out.push_back({one, workloads_.at(one.key()).start.size, admitted.contains(&one),
                   schedule.left().never_fits(one.ns, one.demand), schedule.reason(one),
                   estimates_.find(one.key())});
    const FairShareOf* has = fair_share_ ? fair_share_->find(account_of(one)) : nullptr;
    if (has != nullptr) out.back().fair_share = *has;
  }
  return out;
}

// `left`: null without a policy.
std::vector<QueueContents::Growing> Queue::first_growing(std::size_t most, Snapshot* left) const {
  std::vector<QueueContents::Growing> out;
  for (const std::string& key : growing_ | std::views::take(most)) {
    const Workload& workload = workloads_.at(key);
    QueueContents::Growing one{key, workload.size, workload.growth.size, {}};
    if (left != nullptr) {
      one.shortage = left->shortage(namespace_of(key), workload.growth.amounts);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace mc::controller::queueing
