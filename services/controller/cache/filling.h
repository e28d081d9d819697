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
  using Time = std::chrono::steady_clock::time_point;

  // A watch in this namespace; "" if it watches all. Call it for every watch before any other call.
  void expect(const std::string& ns);
  // One of these watches has its first list, or has ended. Returns true if that was the last one of
  // the namespace.
  bool listed(const std::string& ns, Time now);
  // The API server refuses a list in this namespace: it was deleted with its rights. The others do
  // not wait for it.
  void refused(const std::string& ns);

  // Returns once at least one namespace is listed, and each is listed or refused; false: after
  // `most`, or because stop is requested.
  bool wait(const std::stop_token& stop,
            std::optional<std::chrono::seconds> most = std::nullopt) const;

  // `ns`: of a MiniCluster. Whether all of its watches have listed.
  bool is_listed(const std::string& ns) const;
  // Whether MiniClusters there may be worked on. One that was refused waits until what need not be
  // readable has been asked for again, which is done twice a minute (watches.h).
  bool is_filled(const std::string& ns, Time now) const;
  static constexpr std::chrono::seconds kSettles{35};

 private:
  struct OfNamespace {
    std::size_t missing = 0;  // watches
    bool is_refused = false;
    Time since{};  // when it was listed
  };

  bool is_done() const;
  const OfNamespace* find(const std::string& ns) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::map<std::string, OfNamespace> namespaces_;
};

}  // namespace mc::controller
