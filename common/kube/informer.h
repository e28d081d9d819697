#pragma once
#include <functional>
#include <stop_token>
#include <string>

#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "common/kube/watcher.h"

namespace mc::kube {

// Called from the thread of run(); they must not block for long.
struct InformerHooks {
  // False: nobody needs the changes of this event; the store's listener is not called. Empty:
  // always true.
  std::function<bool()> wants_changes;
  // The store holds a whole list, and its listener knows all of its changes.
  std::function<void()> on_synced;
  // Returns true for an error that ends run(), because there is nothing to follow any more. Empty:
  // no error does.
  std::function<bool(const Error& error)> is_permanent;
  // A sentence when watching fails or recovers, or a list is complete.
  std::function<void(const std::string& sentence)> log;
  // False after a failure. True again after a list, if that had failed, or once a watch has said
  // something or ended without an error.
  std::function<void(bool works)> works;
};

// Keeps a store up to date with the objects of a scope: lists, watches, and retries after errors.
// The delay doubles from 800 ms up to 10 s, and is stretched at random up to twice that.
class Informer {
 public:
  // All references must outlive it.
  Informer(Transport& transport, WatchedStore& store, const Clock& clock, Scope scope,
           InformerHooks hooks);

  // Returns when stop is requested, or after a permanent error. Call it once.
  void run(const std::stop_token& stop);

 private:
  [[nodiscard]] Result<void> list_page();
  [[nodiscard]] Result<void> watch(const std::stop_token& stop);
  void take(const WatchEvent& event);
  void recovered();
  void log_recovery();
  void log_error(const Error& error);
  std::chrono::milliseconds delay_after(const Error& error);

  Transport& transport_;
  WatchedStore& store_;
  const Clock& clock_;
  const InformerHooks hooks_;
  const std::string name_;  // "Job in all namespaces"
  const bool has_bookmarks_;

  // Used by run() only.
  Watcher watcher_;
  Backoff backoff_;
  std::string last_logged_error_;                       // the last error logged; empty: none
  bool is_failing_ = false, has_watch_failed_ = false;  // the last failure was that of a watch
};

}  // namespace mc::kube
