#pragma once
#include <mutex>
#include <utility>

namespace mc {

// A value and the mutex that guards it; the value is accessible only under the lock.
// `guarded.with([](T& value) { ... })` returns what the function returns.
template <class T>
class Guarded {
 public:
  template <class... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

  template <class F>
  auto with(F&& f) {
    std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(value_);
  }
  template <class F>
  auto with(F&& f) const {
    std::scoped_lock lock(mutex_);
    return std::forward<F>(f)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace mc
