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
  // Whose work an object is: its own key (key_of), or that of what it belongs to; empty: nobody's.
  std::function<std::string(const json& object)> key = key_of;
  // What changed in the store, for each key (two if an object went from one to another).
  std::function<void(const std::string& key, const Change& change)> on_change;
  // The store holds a whole list, and all of its changes have been told.
  std::function<void()> on_synced;
  // True after an error that ends run(): there is nothing to follow any more. Empty: none does.
  std::function<bool(const Error& error)> gives_up;
  // A sentence when the informer gets into trouble, out of it, or has listed.
  std::function<void(const std::string& sentence)> log;
};

// Keeps a store up to date with the objects of a scope: lists, watches, and starts again
// after errors, waiting 800 ms doubled up to 30 s, stretched by chance up to twice that.
class Informer {
 public:
  // All references must outlive it.
  Informer(Transport& transport, Store& store, const Clock& clock, Scope scope,
           InformerHooks hooks);

  // Returns once stop is requested, or after an error that the hook gives up at. Call it from one
  // thread, once.
  void run(const std::stop_token& stop);

 private:
  [[nodiscard]] Result<void> list_page();
  [[nodiscard]] Result<void> watch(const std::stop_token& stop);
  void take(const WatchEvent& event);
  void tell(const Change& change) const;
  void well();
  void trouble(const Error& error);
  std::chrono::milliseconds delay_after(const Error& error);

  Transport& transport_;
  Store& store_;
  const Clock& clock_;
  const InformerHooks hooks_;
  const std::string name_;  // "Job in all namespaces"

  // Used by run() only.
  Watcher watcher_;
  Backoff backoff_;
  std::string trouble_;  // the last one told; empty: all is well
};

}  // namespace mc::kube
