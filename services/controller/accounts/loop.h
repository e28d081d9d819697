#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/observe/metrics.h"
#include "services/controller/accounts/meter.h"
#include "services/controller/accounts/metrics.h"
#include "services/controller/cache/caches.h"

namespace mc::controller::accounts {

// Writes what each MiniCluster used into the ConfigMap of its namespace, once it has ended. Every
// process follows the caches, so that the next leader knows what pods did before; only the leader
// writes. One thread does, and sends nothing while no MiniCluster ends.
class Loop {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // Observes the caches from now on. All references must outlive this object, and it must outlive
  // the registry's last text() and the caches' last change. Runs are not taken in a namespace
  // before `is_listed`; empty: all are.
  Loop(const kube::Client& client, const Clock& clock, observe::Registry& registry, Caches& caches,
       std::function<bool(const std::string& ns)> is_listed = {});
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Takes turns when a run ended, and at next(). Once stop is requested, writes what is left, for a
  // limited time, and returns.
  void run(const std::stop_token& stop);

  // The caches are filled, and this process leads. Thread-safe.
  void begin();
  // A namespace is listed that was not yet when that was called. Thread-safe.
  void begin_in(const std::string& ns);

  // The rest only in the thread of run(), or without one.

  // Takes in which runs have ended, and writes what is due.
  void turn();
  // When the next turn is due although no run ends; nothing: never.
  std::optional<SteadyTime> next() const;
  // Writes what is left.
  void finish();

 private:
  struct Waiting {
    api::RunRecord run;
    bool may_be_there = false;  // in the ConfigMap (ledger.h)
    bool is_counted = false;    // in the metrics
  };
  // Of one namespace.
  struct Book {
    std::vector<Waiting> waiting;
    SteadyTime due;                          // of the next write
    int failures = 0;                        // in a row
    std::optional<SteadyTime> refused = {};  // since when the API server refuses it
  };

  void observe(const kube::Change<Job>& change);
  void observe(const kube::Change<Pod>& change);
  void observe(const kube::Change<MiniCluster>& change);
  void tell(const std::string& key);
  bool has_place() const;
  void wait(const std::stop_token& stop);
  std::set<std::string> take_keys();
  void take_ended();
  void put(const std::string& ns, const EndedRun& ended);
  void write(const std::string& ns, Book& book);
  [[nodiscard]] Result<void> record(const std::string& ns, Book& book);
  void failed(const std::string& ns, Book& book, const Error& error);
  bool may_pass(Book& book, ErrorKind kind) const;
  void drop(const std::string& ns, Book& book, const Error& error);
  Time now() const;

  // Constant after construction.
  const kube::Client client_;
  const Clock& clock_;
  Caches& caches_;
  const std::function<bool(const std::string& ns)> is_listed_;

  // Provides its own synchronization.
  UseMetrics metrics_;

  std::mutex mutex_;
  std::condition_variable_any wakes_;
  // Guarded by mutex_. Whoever holds it reads no cache: caches are locked while they tell of
  // changes.
  Meter meter_;
  std::set<std::string> keys_;  // of MiniClusters with a run to take
  bool begun_ = false;

  // Used only by the thread in run().
  std::map<std::string, Book> books_;  // by namespace
  std::set<std::string> dropped_;      // namespaces that were logged
};

}  // namespace mc::controller::accounts
