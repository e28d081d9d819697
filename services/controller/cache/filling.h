#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace mc::controller {

// Which of the watched namespaces have been listed with every kind. A reconcile that sees only some
// of the kinds would create objects that exist. Thread safe.
class Filling {
 public:
  // A watch in this namespace; "" if it watches all. Call it for every watch before any other call.
  void expect(const std::string& ns);
  // One of these watches has its first list, or has ended. Returns true if the namespace is filled
  // by that.
  bool listed(const std::string& ns);
  // The API server refuses a list in this namespace: it was deleted with its rights. The others do
  // not wait for it.
  void refused(const std::string& ns);

  // Returns once at least one namespace is filled, and each is filled or refused; false: after
  // `most`, or because stop is requested.
  bool wait(const std::stop_token& stop,
            std::optional<std::chrono::seconds> most = std::nullopt) const;

  // `ns`: of a MiniCluster.
  bool is_filled(const std::string& ns) const;

 private:
  struct OfNamespace {
    std::size_t missing = 0;  // watches
    bool is_refused = false;
  };

  bool is_done() const;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::map<std::string, OfNamespace> namespaces_;
};

}  // namespace mc::controller
