#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/object.h"
#include "common/kube/stored.h"
#include "common/kube/watcher.h"

namespace mc::kube {

// A change that readers of a store can see. Its objects may be packed: the trees of a whole list
// never exist at the same time.
struct Change {
  std::string key;
  Stored before;  // none: added
  Stored after;   // none: removed
  // Removed, but only found missing in a list: what happened since `before` is not known.
  bool missed = false;
};

// The objects of one watcher, by key and by owner. One thread applies events, any thread reads. A
// cache: it may lag behind the API server. Readers never see a partial list: it replaces all
// objects at once when it is complete.
class Store {
 public:
  // `most_trees`: the objects of the last so many changes are kept as trees. The others are packed,
  // and parsed when they are read (stored.h).
  explicit Store(std::size_t most_trees = kNoLimit) : most_trees_(most_trees) {}
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  // Calls `observer` for each change from now on, in order, also of learn(), while readers wait: it
  // must be short and not use this store. Call it before the first change.
  void observe(std::function<void(const Change&)> observer);

  // Applies an event and returns the changes: none, one object, or, for Synced, all differences
  // between the previous objects and the new list.
  std::vector<Change> apply(const WatchEvent& event);

  // Stores the API server's answer to a write of ours, unless list or watch is already past it.
  // Until the watch reports it, neither older events nor a list in progress replace it.
  void learn(const Object& object);

  Object get(const std::string& key) const;  // null if there is none
  // The objects whose owner with controller: true has this uid, ordered by key.
  std::vector<Object> owned_by(const std::string& uid) const;
  std::vector<Object> all() const;  // ordered by key
  std::vector<std::string> keys() const;
  std::size_t size() const;
  bool synced() const;  // a whole list has been seen; stays true

 private:
  using Changes = std::vector<Change>;
  struct State {
    std::map<std::string, Stored> objects;
    std::deque<std::pair<std::string, std::uint64_t>> recent;  // key and version of the last put
    std::unordered_map<std::string, std::set<std::string>> keys_by_owner;
    std::map<std::string, Stored> listing;
    bool lists = false;             // a list is in progress
    std::set<std::string> learned;  // keys, since the list began
    bool synced = false;
    std::uint64_t seen = 0;  // list and watch have reported everything up to it
  };

  static bool is_older(const State& state, const std::string& key, const Stored& object);
  void put(State& state, const std::string& key, const Stored& object, Changes& changes) const;
  void drop(State& state, const std::string& key, bool missed, Changes& changes) const;
  void note(Change change, Changes& changes) const;
  void swap_in_list(State& state, std::uint64_t version, Changes& changes) const;
  void pack_older(State& state, const std::string& key, std::uint64_t version) const;
  static void unindex(State& state, const std::string& key, const std::string& owner);

  std::size_t most_trees_;
  std::function<void(const Change&)> observer_;  // constant after observe()
  Guarded<State> state_;
};

// The objects of one kind in a list of watched namespaces: one store for each, because a new list
// of one namespace says nothing about the others. Readers see a single store.
class StoreSet {
 public:
  // No namespaces: one store for all namespaces. `most_trees`: of each store.
  explicit StoreSet(const std::vector<std::string>& namespaces = {},
                    std::size_t most_trees = Store::kNoLimit);

  // By the namespace to watch; "" for all namespaces.
  std::map<std::string, Store>& stores() { return stores_; }

  // Of every store, as in Store.
  void observe(const std::function<void(const Change&)>& observer);
  // As in Store. Objects in unwatched namespaces are not learned: no watch would report their
  // deletion.
  void learn(const Object& object);
  Object get(const std::string& key) const;
  std::vector<Object> owned_by(const std::string& uid) const;
  std::vector<Object> all() const;  // ordered by key within each namespace
  std::vector<std::string> keys() const;
  bool synced() const;  // all stores
  bool empty() const;   // all stores

 private:
  // The key in stores_ for an object of this namespace; it may have no store.
  std::string place_of(const std::string& ns) const { return stores_.contains("") ? "" : ns; }

  std::map<std::string, Store> stores_;  // its keys are constant after construction
};

}  // namespace mc::kube
