#pragma once
#include <map>
#include <string>
#include <vector>

#include "common/kube/store.h"

namespace mc::kube {

// The objects of one kind in a list of watched namespaces: one store for each, because a new list
// of one namespace says nothing about the others. Readers see a single store.
class StoreSet {
 public:
  // No namespaces: one store for all namespaces.
  explicit StoreSet(const std::vector<std::string>& namespaces = {});

  // By the namespace to watch; "" for all namespaces.
  std::map<std::string, Store>& stores() { return stores_; }

  // As in Store. Objects in unwatched namespaces are not learned: no watch would report their
  // deletion.
  void learn(const Object& object);
  Object get(const std::string& key) const;
  std::vector<Object> owned_by(const std::string& uid) const;
  std::vector<Object> all() const;  // ordered by key within each namespace
  bool synced() const;              // all stores

 private:
  // The key in stores_ for an object of this namespace; it may have no store.
  std::string place_of(const std::string& ns) const { return stores_.contains("") ? "" : ns; }

  std::map<std::string, Store> stores_;  // its keys are constant after construction
};

}  // namespace mc::kube
