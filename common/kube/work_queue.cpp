#include "common/kube/work_queue.h"

#include <algorithm>

namespace mc::kube {

void WorkQueue::add(const Key& key) {
  std::scoped_lock lock(mutex_);
  make_ready(key);
}

void WorkQueue::add_after(const Key& key, std::chrono::milliseconds delay) {
  std::scoped_lock lock(mutex_);
  plan(key, delay);
}

std::chrono::milliseconds WorkQueue::retry(const Key& key, std::chrono::seconds at_least) {
  std::scoped_lock lock(mutex_);
  const auto delay =
      std::max<std::chrono::milliseconds>(backoff_delay(policy_, ++failures_[key]), at_least);
  ++retries_;
  plan(key, delay);
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
    dirty_.erase(key);
    running_.insert(key);
    return key;
  }
  return std::nullopt;
}

void WorkQueue::done(const Key& key) {
  std::scoped_lock lock(mutex_);
  running_.erase(key);
  if (!dirty_.contains(key)) return;
  ready_.push_back(key);
  ++changes_;
  changed_.notify_all();
}

WorkQueue::Stats WorkQueue::stats() const {
  std::scoped_lock lock(mutex_);
  return {ready_.size(), due_.size(), running_.size(), adds_, retries_};
}

void WorkQueue::make_ready(const Key& key) {
  stop_waiting(key);
  if (!dirty_.insert(key).second) return;
  ++adds_;
  if (running_.contains(key)) return;
  ready_.push_back(key);
  ++changes_;
  changed_.notify_all();
}

void WorkQueue::plan(const Key& key, std::chrono::milliseconds delay) {
  if (delay <= std::chrono::milliseconds{0}) return make_ready(key);
  const auto at = clock_.now() + delay;
  const auto planned = due_.find(key);
  if (dirty_.contains(key) || (planned != due_.end() && planned->second <= at)) return;
  stop_waiting(key);
  due_.emplace(key, at);
  by_time_.emplace(at, key);
  ++changes_;
  changed_.notify_all();
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

void WorkQueue::wait_for_change(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const auto changed = [this, seen = changes_] { return changes_ != seen; };
  if (by_time_.empty()) {
    changed_.wait(lock, stop, changed);
  } else {
    changed_.wait_for(lock, stop, by_time_.begin()->first - clock_.now(), changed);
  }
}

}  // namespace mc::kube
