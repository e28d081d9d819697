#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/object.h"
#include "common/kube/stored.h"
#include "common/kube/watcher.h"

namespace mc::kube {

// A change that readers of a store can see.
template <class T>
struct Change {
  std::string key;
  Stored<T> before;  // none: added
  Stored<T> after;   // none: removed
  // Removed, but only found missing in a list: what happened since `before` is not known.
  bool missed = false;

  // The object after the change, or the last one that was there.
  std::shared_ptr<const T> latest() const { return (after ? after : before).object(); }
};

// What a dump shows of a store.
struct StoreContents {
  std::size_t objects = 0;
  bool synced = false;        // a whole list has been seen
  std::uint64_t version = 0;  // the newest that a list or a watch has reported; 0: none
};

// What an informer keeps up to date.
class WatchedStore {
 public:
  // Applies an event. Then tells the store's listener what changed if `is_wanted` returns true, or
  // is empty. It is called after readers can see the change. So a listener that starts to want
  // changes, and then reads all objects, misses none.
  virtual void take(const WatchEvent& event, const std::function<bool()>& is_wanted) = 0;
  void take(const WatchEvent& event) { take(event, {}); }
  // Whether it has this version of the object with this metadata.
  virtual bool has(const json& metadata) const = 0;
  virtual std::size_t size() const = 0;
  virtual StoreContents contents() const = 0;

 protected:
  WatchedStore() = default;
  ~WatchedStore() = default;
};

// The objects of one watcher, by key and by owner. One thread applies events, any thread reads. A
// cache: it may lag behind the API server. Readers never see a partial list: it replaces all
// objects at once when it is complete.
template <class T>
class Store final : public WatchedStore {
 public:
  using Pointer = std::shared_ptr<const T>;
  using Observer = std::function<void(const Change<T>&)>;
  // Makes of an object as the API server sent it what is stored. Must not throw.
  using Read = std::function<T(const json& object)>;

  // Without `read`, JSON is stored as it was sent.
  explicit Store(Read read = {}) : read_(std::move(read)) {}

  // Calls `observer` for each change from now on, in order, also of learn(), while readers wait: it
  // must be short and not use this store. Several are called in the order of these calls, which
  // come before the first change.
  void observe(Observer observer) { observers_.push_back(std::move(observer)); }
  // Calls `listener` for each change that an informer reports, once readers see all changes of the
  // same event. Call it before the first change.
  void listen(Observer listener) { listener_ = std::move(listener); }

  // Applies an event and returns the changes: none, one object, or, for Synced, all differences
  // between the previous objects and the new list.
  std::vector<Change<T>> apply(const WatchEvent& event);
  using WatchedStore::take;
  void take(const WatchEvent& event, const std::function<bool()>& is_wanted) override;
  bool has(const json& metadata) const override;

  // Stores the API server's answer to a write of ours, unless list or watch is already past it.
  // Until the watch reports it, neither older events nor a list in progress replace it.
  void learn(const Object& answer);

  Pointer get(const std::string& key) const;  // null if there is none
  // The objects of the namespace whose owner with controller: true has this uid, in the order of
  // all().
  std::vector<Pointer> owned_by(std::string_view ns, std::string_view uid) const;
  std::vector<Pointer> all() const;  // ordered by namespace, then by name
  std::vector<std::string> keys() const;
  std::size_t size() const override;
  StoreContents contents() const override;
  bool synced() const;  // a whole list has been seen; stays true

 private:
  using Changes = std::vector<Change<T>>;
  using Objects = std::set<Stored<T>, ByKey<T>>;
  struct State {
    Objects objects;
    std::set<const Stored<T>*, ByOwner<T>> owned;  // those of `objects` that have an owner
    Objects listing;
    bool lists = false;             // a list is in progress
    std::set<std::string> learned;  // keys, since it began: the list may be older
    bool synced = false;
    std::uint64_t seen = 0;  // list and watch have reported everything up to it
  };

  // Changes go to the observers, and to `changes` unless it is null.
  void apply(const WatchEvent& event, Changes* changes);
  Stored<T> read(const Object& sent) const;
  static bool is_same(const Stored<T>& a, const Stored<T>& b);
  static bool is_older(const State& state, const Stored<T>& object);
  void put(State& state, const Stored<T>& object, Changes* changes) const;
  void drop(State& state, typename Objects::const_iterator at, bool missed, Changes* changes) const;
  void note(Change<T> change, Changes* changes) const;
  void swap_in_list(State& state, std::uint64_t version, Changes* changes) const;

  Read read_;
  // Constant after observe() and listen().
  std::vector<Observer> observers_;
  Observer listener_;
  Guarded<State> state_;
};

// The objects of one kind in a list of watched namespaces: one store for each, because a new list
// of one namespace says nothing about the others. Readers see a single store.
template <class T>
class StoreSet {
 public:
  using Pointer = typename Store<T>::Pointer;

  // No namespaces: one store for all namespaces.
  explicit StoreSet(const std::vector<std::string>& namespaces = {},
                    const typename Store<T>::Read& read = {}) {
    for (const std::string& ns : namespaces) stores_.try_emplace(ns, read);
    if (stores_.empty()) stores_.try_emplace("", read);
  }

  // By the namespace to watch; "" for all namespaces.
  std::map<std::string, Store<T>>& stores() { return stores_; }

  // Of every store, as in Store.
  void observe(const typename Store<T>::Observer& observer) {
    for (auto& [ns, store] : stores_) store.observe(observer);
  }
  void listen(const typename Store<T>::Observer& listener) {
    for (auto& [ns, store] : stores_) store.listen(listener);
  }
  // As in Store. Objects in unwatched namespaces are not learned: no watch would report their
  // deletion.
  void learn(const Object& answer) {
    const auto store = stores_.find(place_of(metadata_text(*answer, "namespace")));
    if (store != stores_.end()) store->second.learn(answer);
  }
  Pointer get(const std::string& key) const {
    const auto store = stores_.find(place_of(key.substr(0, key.find('/'))));
    return store == stores_.end() ? nullptr : store->second.get(key);
  }
  std::vector<Pointer> owned_by(const std::string& ns, std::string_view uid) const {
    const auto store = stores_.find(place_of(ns));
    return store == stores_.end() ? std::vector<Pointer>() : store->second.owned_by(ns, uid);
  }
  // Ordered by name within each namespace.
  std::vector<Pointer> all() const {
    return gathered([](const Store<T>& store) { return store.all(); });
  }
  std::vector<std::string> keys() const {
    return gathered([](const Store<T>& store) { return store.keys(); });
  }
  bool synced() const {  // all stores
    return std::ranges::all_of(stores_, [](const auto& entry) { return entry.second.synced(); });
  }
  bool empty() const {  // all stores
    return std::ranges::all_of(stores_, [](const auto& entry) { return entry.second.size() == 0; });
  }

 private:
  // The key in stores_ for an object of this namespace; it may have no store.
  std::string place_of(const std::string& ns) const { return stores_.contains("") ? "" : ns; }

  template <class F>
  auto gathered(const F& from) const {
    decltype(from(std::declval<const Store<T>&>())) all;
    for (const auto& [ns, store] : stores_) std::ranges::move(from(store), std::back_inserter(all));
    return all;
  }

  std::map<std::string, Store<T>> stores_;  // its keys are constant after construction
};

template <class T>
Stored<T> Store<T>::read(const Object& sent) const {
  if constexpr (std::is_same_v<T, json>) {
    if (!read_) return Stored<T>(sent);
  }
  return Stored<T>(std::make_shared<const T>(read_(*sent)));
}

// The same version of the same object. A restored etcd may use a version again.
template <class T>
bool Store<T>::is_same(const Stored<T>& a, const Stored<T>& b) {
  return a.version() != 0 && a.version() == b.version() && a.uid() == b.uid();
}

// Older than a learned object: the watch is behind.
template <class T>
bool Store<T>::is_older(const State& state, const Stored<T>& object) {
  const auto known = state.objects.find(object);
  return known != state.objects.end() && object.version() < known->version();
}

template <class T>
void Store<T>::note(Change<T> change, Changes* changes) const {
  for (const Observer& observer : observers_) observer(change);
  if (changes != nullptr) changes->push_back(std::move(change));
}

template <class T>
void Store<T>::put(State& state, const Stored<T>& object, Changes* changes) const {
  const auto add_owned = [&](const Stored<T>& added) {
    if (!added.owner().empty()) state.owned.insert(&added);
  };
  const auto known = state.objects.find(object);
  if (known == state.objects.end()) {
    add_owned(*state.objects.insert(object).first);
    return note({object.key(), {}, object, false}, changes);
  }
  if (is_same(*known, object)) return;
  const bool moves = known->owner() != object.owner();
  if (moves) state.owned.erase(&*known);
  // The node stays, so that `owned` still points to it.
  const auto next = std::next(known);
  auto node = state.objects.extract(known);
  const Stored<T> before = std::exchange(node.value(), object);
  const auto replaced = state.objects.insert(next, std::move(node));
  if (moves) add_owned(*replaced);
  note({object.key(), before, object, false}, changes);
}

template <class T>
void Store<T>::drop(State& state, typename Objects::const_iterator at, bool missed,
                    Changes* changes) const {
  state.owned.erase(&*at);
  const Stored<T> before = state.objects.extract(at).value();
  note({before.key(), before, {}, missed}, changes);
}

// Newer objects that were learned since the list began stay: the watch from there will report them.
// Everything else is as listed, even if its version is lower than one seen before: a restored etcd
// starts over.
template <class T>
void Store<T>::swap_in_list(State& state, std::uint64_t version, Changes* changes) const {
  for (const std::string& key : state.learned) {
    const auto known = state.objects.find(key);
    if (known == state.objects.end() || version == 0 || known->version() <= version) continue;
    state.listing.erase(*known);
    state.listing.insert(*known);
  }
  for (auto at = state.objects.begin(); at != state.objects.end();) {
    const auto object = at++;
    if (!state.listing.contains(*object)) drop(state, object, true, changes);
  }
  while (!state.listing.empty()) {
    put(state, state.listing.extract(state.listing.begin()).value(), changes);
  }
  state.learned.clear();
  state.lists = false;
  state.seen = version;
  state.synced = true;
}

template <class T>
void Store<T>::apply(const WatchEvent& event, Changes* changes) {
  // Outside the lock.
  Stored<T> object;
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.object; }) object = read(one.object);
      },
      event);
  state_.with([&](State& state) {
    if (const auto* repeated = std::get_if<Repeated>(&event)) {
      state.seen = std::max(state.seen, version_number(repeated->version));
    } else if (std::holds_alternative<Applied>(event)) {
      state.seen = std::max(state.seen, object.version());
      if (!is_older(state, object)) put(state, object, changes);
    } else if (std::holds_alternative<Deleted>(event)) {
      state.seen = std::max(state.seen, object.version());
      const auto known = state.objects.find(object);
      if (known != state.objects.end() && object.version() >= known->version()) {
        drop(state, known, false, changes);
      }
    } else if (std::holds_alternative<Listed>(event)) {
      state.listing.erase(object);
      state.listing.insert(object);
    } else if (const auto* synced = std::get_if<Synced>(&event)) {
      swap_in_list(state, version_number(synced->version), changes);
    } else {
      state.listing.clear();  // Restarted
      state.lists = true;
    }
  });
}

template <class T>
std::vector<Change<T>> Store<T>::apply(const WatchEvent& event) {
  Changes changes;
  apply(event, &changes);
  return changes;
}

template <class T>
void Store<T>::take(const WatchEvent& event, const std::function<bool()>& is_wanted) {
  Changes changes;
  apply(event, listener_ ? &changes : nullptr);
  if (changes.empty() || (is_wanted && !is_wanted())) return;
  for (const Change<T>& change : changes) listener_(change);
}

template <class T>
bool Store<T>::has(const json& metadata) const {
  const std::uint64_t version = version_number(text_at(metadata, {"resourceVersion"}));
  const std::string key = key_in(text_at(metadata, {"namespace"}), text_at(metadata, {"name"}));
  return state_.with([&](const State& state) {
    const auto known = state.objects.find(key);
    return version != 0 && known != state.objects.end() && known->version() == version &&
           known->uid() == text_at(metadata, {"uid"});
  });
}

template <class T>
void Store<T>::learn(const Object& answer) {
  const Stored<T> learned = read(answer);
  state_.with([&](State& state) {
    if (learned.version() <= state.seen || is_older(state, learned)) return;
    put(state, learned, nullptr);
    if (state.lists) state.learned.insert(learned.key());
  });
}

template <class T>
typename Store<T>::Pointer Store<T>::get(const std::string& key) const {
  return state_.with([&](const State& state) {
    const auto it = state.objects.find(key);
    return it == state.objects.end() ? nullptr : it->object();
  });
}

template <class T>
std::vector<typename Store<T>::Pointer> Store<T>::owned_by(std::string_view ns,
                                                           std::string_view uid) const {
  return state_.with([&](const State& state) {
    std::vector<Pointer> owned;
    const auto [begin, end] = state.owned.equal_range(typename ByOwner<T>::Owner{uid, ns});
    for (auto at = begin; at != end; ++at) owned.push_back((*at)->object());
    return owned;
  });
}

template <class T>
std::vector<typename Store<T>::Pointer> Store<T>::all() const {
  return state_.with([](const State& state) {
    std::vector<Pointer> objects;
    objects.reserve(state.objects.size());
    for (const Stored<T>& stored : state.objects) objects.push_back(stored.object());
    return objects;
  });
}

template <class T>
std::vector<std::string> Store<T>::keys() const {
  return state_.with([](const State& state) {
    std::vector<std::string> keys;
    keys.reserve(state.objects.size());
    for (const Stored<T>& stored : state.objects) keys.push_back(stored.key());
    return keys;
  });
}

template <class T>
std::size_t Store<T>::size() const {
  return state_.with([](const State& state) { return state.objects.size(); });
}

template <class T>
StoreContents Store<T>::contents() const {
  return state_.with([](const State& state) {
    return StoreContents{state.objects.size(), state.synced, state.seen};
  });
}

template <class T>
bool Store<T>::synced() const {
  return state_.with([](const State& state) { return state.synced; });
}

// Compiled once, in store.cpp.
extern template class Store<json>;

}  // namespace mc::kube
