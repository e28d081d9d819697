#pragma once
#include <map>
#include <string>
#include <vector>

#include "common/kube/store.h"

namespace mc::kube {

// The objects of one kind where a list of namespaces is watched: a store for each of them, since a
// new list of one says nothing of the others. To readers they are one store.
class StoreSet {
 public:
  // No namespaces: one store for all there are.
  explicit StoreSet(const std::vector<std::string>& namespaces = {});

  // By the namespace to watch for it; the one for all is under "".
  std::map<std::string, Store>& stores() { return stores_; }

  // As those of Store. What is of no namespace that is watched is not learned: no watch would ever
  // tell that it is gone.
  void learn(const Object& object);
  Object get(const std::string& key) const;
  std::vector<Object> owned_by(const std::string& uid) const;
  std::vector<Object> all() const;  // ordered by key within each namespace
  bool synced() const;              // all of them

 private:
  // The key in stores_ for an object of this namespace; there may be none of it.
  std::string place_of(const std::string& ns) const { return stores_.contains("") ? "" : ns; }

  std::map<std::string, Store> stores_;  // its keys are constant after construction
};

}  // namespace mc::kube
