#include "common/kube/work_queue.h"

#include <algorithm>
#include <tuple>

namespace mc::kube {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

WorkQueue::WorkQueue(const Clock& clock, BackoffPolicy policy, WorkQueueMetrics* metrics)
    : clock_(clock), policy_(policy), metrics_(metrics) {
  if (metrics_ == nullptr) return;
  metrics_->follow([this] {
    const Stats now = stats();
    return QueueState{static_cast<double>(now.depth), static_cast<double>(now.adds),
                      static_cast<double>(now.retries), now.unfinished.count(),
                      now.longest.count()};
  });
}

void WorkQueue::add(const Key& key) {
  std::scoped_lock lock(mutex_);
  make_ready(key);
}

void WorkQueue::add_after(const Key& key, std::chrono::milliseconds delay) {
  std::scoped_lock lock(mutex_);
  schedule(key, delay);
}

std::chrono::milliseconds WorkQueue::add_rate_limited(const Key& key,
                                                      std::chrono::seconds at_least) {
  std::scoped_lock lock(mutex_);
  const auto delay =
      std::max<std::chrono::milliseconds>(backoff_delay(policy_, ++failures_[key]), at_least);
  ++retries_;
  schedule(key, delay);
  return delay;
}

void WorkQueue::forget(const Key& key) {
  std::scoped_lock lock(mutex_);
  failures_.erase(key);
}

std::optional<WorkQueue::Key> WorkQueue::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    promote_due();
    if (ready_.empty()) {
      wait_for_change(lock, stop);
      continue;
    }
    Key key = std::move(ready_.front());
    ready_.pop_front();
    const auto now = clock_.now();
    const auto added = dirty_.extract(key);
    if (metrics_ != nullptr) metrics_->taken(Seconds(now - added.mapped()).count());
    running_.emplace(key, now);
    // This worker may have been the one that was woken for the next key, or waited for its time.
    if (!ready_.empty() || !by_time_.empty()) wake_one();
    return key;
  }
  return std::nullopt;
}

void WorkQueue::done(const Key& key) {
  std::scoped_lock lock(mutex_);
  const auto begun = running_.extract(key);
  if (metrics_ != nullptr) metrics_->done(Seconds(clock_.now() - begun.mapped()).count());
  if (!dirty_.contains(key)) return;
  ready_.push_back(key);
  wake_one();
}

WorkQueue::Stats WorkQueue::stats() const {
  std::scoped_lock lock(mutex_);
  return count();
}

WorkQueue::Contents WorkQueue::contents() const {
  using std::chrono::milliseconds;
  std::scoped_lock lock(mutex_);
  const auto now = clock_.now();
  Contents out{count(), failures_.size(), std::nullopt, {}};
  if (!by_time_.empty()) {
    out.next_due = std::chrono::ceil<milliseconds>(
        std::max(by_time_.begin()->first - now, TimePoint::duration::zero()));
  }
  for (const auto& [key, begun] : running_) {
    out.running.emplace_back(key, std::chrono::floor<milliseconds>(now - begun));
  }
  std::ranges::sort(out.running, [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  return out;
}

WorkQueue::Stats WorkQueue::count() const {
  Stats out{ready_.size(), due_.size(), running_.size(), adds_, retries_, {}, {}};
  for (const auto& [unused, begun] : running_) {
    const Seconds taken = clock_.now() - begun;
    out.unfinished += taken;
    out.longest = std::max(out.longest, taken);
  }
  return out;
}

void WorkQueue::make_ready(const Key& key) {
  stop_waiting(key);
  if (!dirty_.emplace(key, clock_.now()).second) return;
  ++adds_;
  if (running_.contains(key)) return;
  ready_.push_back(key);
  wake_one();
}

void WorkQueue::schedule(const Key& key, std::chrono::milliseconds delay) {
  if (delay <= std::chrono::milliseconds{0}) return make_ready(key);
  const auto at = clock_.now() + delay;
  const auto planned = due_.find(key);
  if (dirty_.contains(key) || (planned != due_.end() && planned->second <= at)) return;
  stop_waiting(key);
  due_.emplace(key, at);
  const auto place = by_time_.emplace(at, key).first;
  if (place == by_time_.begin()) wake_one();
}

void WorkQueue::stop_waiting(const Key& key) {
  const auto planned = due_.find(key);
  if (planned == due_.end()) return;
  by_time_.erase({planned->second, key});
  due_.erase(planned);
}

void WorkQueue::promote_due() {
  const auto now = clock_.now();
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    make_ready(Key(by_time_.begin()->second));
  }
}

void WorkQueue::wake_one() {
  ++changes_;
  changed_.notify_one();
}

void WorkQueue::wait_for_change(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const auto changed = [this, seen = changes_] { return changes_ != seen; };
  if (by_time_.empty()) {
    changed_.wait(lock, stop, changed);
  } else {
    changed_.wait_for(lock, stop, by_time_.begin()->first - clock_.now(), changed);
  }
}

}  // namespace mc::kube
