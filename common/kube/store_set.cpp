#include "common/kube/store_set.h"

#include <algorithm>
#include <iterator>

namespace mc::kube {
namespace {

void append(std::vector<Object>& objects, std::vector<Object> more) {
  std::ranges::move(more, std::back_inserter(objects));
}

}  // namespace

StoreSet::StoreSet(const std::vector<std::string>& namespaces) {
  for (const std::string& ns : namespaces) stores_.try_emplace(ns);
  if (stores_.empty()) stores_.try_emplace("");
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

bool StoreSet::synced() const {
  return std::ranges::all_of(stores_, [](const auto& entry) { return entry.second.synced(); });
}

}  // namespace mc::kube
