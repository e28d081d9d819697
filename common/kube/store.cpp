#include "common/kube/store.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace mc::kube {
namespace {

bool same_version(const json& a, const json& b) {
  const auto version = metadata_text(a, "resourceVersion");
  return !version.empty() && version == metadata_text(b, "resourceVersion") &&
         metadata_text(a, "uid") == metadata_text(b, "uid");
}

// Versions can be compared within a resource type (kubernetes/enhancements, KEP-5504; always true
// with etcd). 0 if it is not a number: then it is not compared.
std::uint64_t number_of(const std::string& text) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size() ? version : 0;
}

std::uint64_t version_of(const json& object) {
  return number_of(metadata_text(object, "resourceVersion"));
}

void append(std::vector<Object>& objects, std::vector<Object> more) {
  std::ranges::move(more, std::back_inserter(objects));
}

}  // namespace

void Store::unindex(State& state, const std::string& key, const json& object) {
  const auto keys = state.keys_by_owner.find(controller_uid(object));
  if (keys == state.keys_by_owner.end()) return;
  keys->second.erase(key);
  if (keys->second.empty()) state.keys_by_owner.erase(keys);
}

// Older than a learned object: the watch is behind.
bool Store::is_older(const State& state, const json& object) {
  const auto known = state.objects.find(key_of(object));
  return known != state.objects.end() && version_of(object) < version_of(*known->second);
}

void Store::observe(std::function<void(const Change&)> observer) {
  observer_ = std::move(observer);
}

std::vector<Change> Store::put(State& state, const Object& object) const {
  const auto key = key_of(*object);
  auto& place = state.objects[key];
  if (place && same_version(*place, *object)) return {};
  const Object before = std::exchange(place, object);
  if (before) unindex(state, key, *before);
  if (const auto owner = controller_uid(*object); !owner.empty()) {
    state.keys_by_owner[owner].insert(key);
  }
  const Change change{before, object};
  if (observer_) observer_(change);
  return {change};
}

std::vector<Change> Store::drop(State& state, const std::string& key) const {
  const auto it = state.objects.find(key);
  if (it == state.objects.end()) return {};
  const Object before = it->second;
  unindex(state, key, *before);
  state.objects.erase(it);
  const Change change{before, nullptr};
  if (observer_) observer_(change);
  return {change};
}

// Newer objects that were learned since the list began stay: the watch from there will report them.
// Everything else is as listed, even if its version is lower than one seen before: a restored etcd
// starts over.
std::vector<Change> Store::swap_in_list(State& state, std::uint64_t version) const {
  for (const std::string& key : state.learned) {
    const auto known = state.objects.find(key);
    if (known == state.objects.end() || version == 0) continue;
    if (version_of(*known->second) > version) state.listing[key] = known->second;
  }
  std::vector<Change> changes;
  const auto note = [&](std::vector<Change> some) {
    changes.insert(changes.end(), some.begin(), some.end());
  };
  std::vector<std::string> gone;
  for (const auto& [key, object] : state.objects) {
    if (!state.listing.contains(key)) gone.push_back(key);
  }
  for (const auto& key : gone) note(drop(state, key));
  for (const auto& [key, object] : state.listing) note(put(state, object));
  state.listing.clear();
  state.learned.clear();
  state.lists = false;
  if (version != 0) state.seen = version;
  state.synced = true;
  return changes;
}

std::vector<Change> Store::apply(const WatchEvent& event) {
  return state_.with([&](State& state) -> std::vector<Change> {
    if (const auto* applied = std::get_if<Applied>(&event)) {
      state.seen = std::max(state.seen, version_of(*applied->object));
      if (is_older(state, *applied->object)) return {};
      return put(state, applied->object);
    }
    if (const auto* deleted = std::get_if<Deleted>(&event)) {
      state.seen = std::max(state.seen, version_of(*deleted->object));
      if (is_older(state, *deleted->object)) return {};
      return drop(state, key_of(*deleted->object));
    }
    if (const auto* listed = std::get_if<Listed>(&event)) {
      state.listing[key_of(*listed->object)] = listed->object;
      return {};
    }
    if (const auto* synced = std::get_if<Synced>(&event)) {
      return swap_in_list(state, number_of(synced->version));
    }
    state.listing.clear();  // Restarted
    state.learned.clear();
    state.lists = true;
    return {};
  });
}

void Store::learn(const Object& object) {
  state_.with([&](State& state) {
    const auto version = version_of(*object);
    if (version <= state.seen || is_older(state, *object)) return;
    put(state, object);
    if (state.lists) state.learned.insert(key_of(*object));
  });
}

Object Store::get(const std::string& key) const {
  return state_.with([&](const State& state) -> Object {
    const auto it = state.objects.find(key);
    return it == state.objects.end() ? nullptr : it->second;
  });
}

std::vector<Object> Store::owned_by(const std::string& uid) const {
  return state_.with([&](const State& state) {
    std::vector<Object> owned;
    const auto keys = state.keys_by_owner.find(uid);
    if (keys == state.keys_by_owner.end()) return owned;
    for (const auto& key : keys->second) owned.push_back(state.objects.at(key));
    return owned;
  });
}

std::vector<Object> Store::all() const {
  return state_.with([](const State& state) {
    std::vector<Object> objects;
    objects.reserve(state.objects.size());
    for (const auto& [key, object] : state.objects) objects.push_back(object);
    return objects;
  });
}

std::size_t Store::size() const {
  return state_.with([](const State& state) { return state.objects.size(); });
}

bool Store::synced() const {
  return state_.with([](const State& state) { return state.synced; });
}

StoreSet::StoreSet(const std::vector<std::string>& namespaces) {
  for (const std::string& ns : namespaces) stores_.try_emplace(ns);
  if (stores_.empty()) stores_.try_emplace("");
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

bool StoreSet::empty() const {
  return std::ranges::all_of(stores_, [](const auto& entry) { return entry.second.size() == 0; });
}

bool StoreSet::synced() const {
  return std::ranges::all_of(stores_, [](const auto& entry) { return entry.second.synced(); });
}

}  // namespace mc::kube
