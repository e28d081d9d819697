#include "common/kube/store.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mc::kube {
namespace {

// The same version of the same object. A restored etcd may use a version again.
bool is_same(const Stored& a, const Stored& b) {
  if (a.version() == 0 || a.version() != b.version()) return false;
  return metadata_text(*a.object(), "uid") == metadata_text(*b.object(), "uid");
}

// Outside the lock, because packed objects are parsed.
std::vector<Object> objects_of(const std::vector<Stored>& stored) {
  std::vector<Object> out;
  out.reserve(stored.size());
  for (const Stored& one : stored) out.push_back(one.object());
  return out;
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

void Store::observe(std::function<void(const Change&)> observer) {
  observer_ = std::move(observer);
}

// Older than a learned object: the watch is behind.
bool Store::is_older(const State& state, const std::string& key, const Stored& object) {
  const auto known = state.objects.find(key);
  return known != state.objects.end() && object.version() < known->second.version();
}

void Store::note(Change change, Changes& changes) const {
  if (observer_) observer_(change);
  changes.push_back(std::move(change));
}

// Packs the object that was put longest ago, if it is not replaced yet. This one was put now.
void Store::pack_older(State& state, const std::string& key, std::uint64_t version) const {
  if (most_trees_ == kNoLimit) return;
  state.recent.emplace_back(key, version);
  if (state.recent.size() <= most_trees_) return;
  const auto [old_key, old_version] = std::move(state.recent.front());
  state.recent.pop_front();
  const auto held = state.objects.find(old_key);
  if (held != state.objects.end() && held->second.version() == old_version) held->second.pack();
}

void Store::put(State& state, const std::string& key, const Stored& object,
                Changes& changes) const {
  Stored& place = state.objects[key];
  if (place && is_same(place, object)) return;
  const Stored before = std::exchange(place, object);
  const std::string old_owner = before.owner(), owner = object.owner();
  if (old_owner != owner) {
    unindex(state, key, old_owner);
    if (!owner.empty()) state.keys_by_owner[owner].insert(key);
  }
  pack_older(state, key, object.version());
  note({key, before, object, false}, changes);
}

void Store::unindex(State& state, const std::string& key, const std::string& owner) {
  const auto keys = state.keys_by_owner.find(owner);
  if (keys == state.keys_by_owner.end()) return;
  keys->second.erase(key);
  if (keys->second.empty()) state.keys_by_owner.erase(keys);
}

void Store::drop(State& state, const std::string& key, bool missed, Changes& changes) const {
  const auto it = state.objects.find(key);
  if (it == state.objects.end()) return;
  const Stored before = it->second;
  unindex(state, key, before.owner());
  state.objects.erase(it);
  note({key, before, {}, missed}, changes);
}

// Newer objects that were learned since the list began stay: the watch from there will report them.
// Everything else is as listed, even if its version is lower than one seen before: a restored etcd
// starts over.
void Store::swap_in_list(State& state, std::uint64_t version, Changes& changes) const {
  for (const std::string& key : state.learned) {
    const auto known = state.objects.find(key);
    if (known == state.objects.end() || version == 0) continue;
    if (known->second.version() > version) state.listing[key] = known->second;
  }
  std::vector<std::string> gone;
  for (const auto& [key, object] : state.objects) {
    if (!state.listing.contains(key)) gone.push_back(key);
  }
  for (const auto& key : gone) drop(state, key, true, changes);
  for (const auto& [key, object] : state.listing) put(state, key, object, changes);
  state.listing.clear();
  state.learned.clear();
  state.lists = false;
  if (version != 0) state.seen = version;
  state.synced = true;
}

std::vector<Change> Store::apply(const WatchEvent& event) {
  return state_.with([&](State& state) {
    Changes changes;
    if (const auto* applied = std::get_if<Applied>(&event)) {
      const Stored object(applied->object);
      const std::string key = key_of(*applied->object);
      state.seen = std::max(state.seen, object.version());
      if (!is_older(state, key, object)) put(state, key, object, changes);
    } else if (const auto* deleted = std::get_if<Deleted>(&event)) {
      const Stored object(deleted->object);
      const std::string key = key_of(*deleted->object);
      state.seen = std::max(state.seen, object.version());
      if (!is_older(state, key, object)) drop(state, key, false, changes);
    } else if (const auto* listed = std::get_if<Listed>(&event)) {
      const Stored object(listed->object);
      if (most_trees_ != kNoLimit) object.pack();
      state.listing[key_of(*listed->object)] = object;
    } else if (const auto* synced = std::get_if<Synced>(&event)) {
      swap_in_list(state, version_number(synced->version), changes);
    } else {
      state.listing.clear();  // Restarted
      state.learned.clear();
      state.lists = true;
    }
    return changes;
  });
}

void Store::learn(const Object& object) {
  state_.with([&](State& state) {
    const Stored learned(object);
    const std::string key = key_of(*object);
    if (learned.version() <= state.seen || is_older(state, key, learned)) return;
    Changes changes;
    put(state, key, learned, changes);
    if (state.lists) state.learned.insert(key);
  });
}

Object Store::get(const std::string& key) const {
  return state_
      .with([&](const State& state) {
        const auto it = state.objects.find(key);
        return it == state.objects.end() ? Stored() : it->second;
      })
      .object();
}

std::vector<Object> Store::owned_by(const std::string& uid) const {
  return objects_of(state_.with([&](const State& state) {
    std::vector<Stored> owned;
    const auto keys = state.keys_by_owner.find(uid);
    if (keys == state.keys_by_owner.end()) return owned;
    for (const auto& key : keys->second) owned.push_back(state.objects.at(key));
    return owned;
  }));
}

std::vector<Object> Store::all() const {
  return objects_of(state_.with([](const State& state) {
    std::vector<Stored> objects;
    objects.reserve(state.objects.size());
    for (const auto& [key, object] : state.objects) objects.push_back(object);
    return objects;
  }));
}

std::vector<std::string> Store::keys() const {
  return state_.with([](const State& state) {
    std::vector<std::string> keys;
    keys.reserve(state.objects.size());
    for (const auto& [key, object] : state.objects) keys.push_back(key);
    return keys;
  });
}

std::size_t Store::size() const {
  return state_.with([](const State& state) { return state.objects.size(); });
}

bool Store::synced() const {
  return state_.with([](const State& state) { return state.synced; });
}

StoreSet::StoreSet(const std::vector<std::string>& namespaces, std::size_t most_trees) {
  for (const std::string& ns : namespaces) stores_.try_emplace(ns, most_trees);
  if (stores_.empty()) stores_.try_emplace("", most_trees);
}

void StoreSet::observe(const std::function<void(const Change&)>& observer) {
  for (auto& [ns, store] : stores_) store.observe(observer);
}

void StoreSet::learn(const Object& object) {
  const auto store = stores_.find(place_of(metadata_text(*object, "namespace")));
  if (store != stores_.end()) store->second.learn(object);
}

Object StoreSet::get(const std::string& key) const {
  const auto store = stores_.find(place_of(key.substr(0, key.find('/'))));
  return store == stores_.end() ? nullptr : store->second.get(key);
}

std::vector<Object> StoreSet::owned_by(const std::string& uid) const {
  std::vector<Object> objects;
  for (const auto& [ns, store] : stores_) append(objects, store.owned_by(uid));
  return objects;
}

std::vector<Object> StoreSet::all() const {
  std::vector<Object> objects;
  for (const auto& [ns, store] : stores_) append(objects, store.all());
  return objects;
}

std::vector<std::string> StoreSet::keys() const {
  std::vector<std::string> keys;
  for (const auto& [ns, store] : stores_) append(keys, store.keys());
  return keys;
}

bool StoreSet::empty() const {
  return std::ranges::all_of(stores_, [](const auto& entry) { return entry.second.size() == 0; });
}

bool StoreSet::synced() const {
  return std::ranges::all_of(stores_, [](const auto& entry) { return entry.second.synced(); });
}

}  // namespace mc::kube
