#pragma once
#include <memory>
#include <utility>

namespace mc {

// A value that is mostly absent, and then takes only as much memory as a pointer or two. Never
// changes; copies share it.
template <class T>
class Rare {
 public:
  Rare() = default;  // absent
  Rare(T value)      // NOLINT(google-explicit-constructor): as std::optional
      : value_(std::make_shared<const T>(std::move(value))) {}

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  friend bool operator==(const Rare& a, const Rare& b) {
    return a.value_ == b.value_ || (a && b && *a == *b);
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace mc
