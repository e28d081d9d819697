#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "common/base/clock.h"

namespace mc::controller::queueing {

// What changed since the last look.
struct Mail {
  // Keys of MiniClusters, each with the uids of the owners of pods that changed.
  std::map<std::string, std::set<std::string>> keys;
  bool setups = false;  // FluxSetups, Namespaces or PriorityClasses
};

// From the threads of the watches and of the reconciles to the thread that decides. Thread-safe.
class Mailbox {
 public:
  explicit Mailbox(const Clock& clock) : clock_(clock) {}

  // `owner`: of the pod that changed, "" for any other object.
  void changed(const std::string& key, const std::string& owner);
  void setups_changed();

  // Waits until something changed, until that time, or until stop is requested. Takes everything.
  Mail take(const std::stop_token& stop,
            std::optional<std::chrono::steady_clock::time_point> until);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Mail mail_;  // guarded by mutex_
};

}  // namespace mc::controller::queueing
