#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "services/controller/queueing/forecast.h"

namespace mc::controller::queueing {

// The expected starts of those that wait, as they are told. No clock.
class Estimates {
 public:
  // Something has changed that they depend on.
  void invalidate() { is_old_ = true; }
  // It no longer waits.
  void remove(const std::string& key) { starts_.erase(key); }
  // One that was told stays while the new one is within a step of it, and has not passed.
  void set(const std::vector<Estimate>& made, Time now);

  std::optional<Time> find(const std::string& key) const;

  // Whether new ones are to be made. `promised`: as in next().
  bool is_due(Time now, std::optional<Time> promised) const;
  // When they are due, at most every 10 s. Nothing: not before something changes; also before the
  // first set(), which is due at once. Two things are due without a change: another estimate in
  // place of one that has passed, and news about a promise that was not kept. `promised`: the start
  // that one was promised.
  std::optional<Time> next(std::optional<Time> promised) const;

 private:
  std::unordered_map<std::string, Time> starts_;  // by key
  std::optional<Time> made_;
  bool is_old_ = true;
};

}  // namespace mc::controller::queueing
