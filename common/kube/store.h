#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/object.h"
#include "common/kube/watcher.h"

namespace mc::kube {

// What readers of a store see differently now.
struct Change {
  Object before;  // null: it is new
  Object after;   // null: it is gone
};

// The objects of one watcher, by key and by owner. One thread applies, any thread reads. This is a
// cache: it may be behind the API server by what is still on the way. Readers never see half a
// list: it is collected aside and takes the place of all objects at once when it is whole.
class Store {
 public:
  // Takes an event in and returns what changed by it: nothing, one object, or, for Synced, all the
  // differences between what was known and the new list.
  std::vector<Change> apply(const WatchEvent& event);

  // Takes in what the API server answered to a write of ours, unless list or watch has come past
  // it: they know better then. Until the watch tells of it, older events do not replace it, nor
  // does a list that was under way.
  void learn(const Object& object);

  Object get(const std::string& key) const;  // null if there is none
  // Those whose owner with controller: true has this uid, ordered by key.
  std::vector<Object> owned_by(const std::string& uid) const;
  std::vector<Object> all() const;  // ordered by key
  std::size_t size() const;
  bool synced() const;  // a whole list has been seen; stays true

 private:
  struct State {
    std::map<std::string, Object> objects;
    std::unordered_map<std::string, std::set<std::string>> keys_by_owner;
    std::map<std::string, Object> listing;
    bool lists = false;             // a list is under way
    std::set<std::string> learned;  // keys, since it began
    bool synced = false;
    std::uint64_t seen = 0;  // the version up to which list and watch have told all
  };

  static bool is_older(const State& state, const json& object);
  static std::vector<Change> put(State& state, const Object& object);
  static std::vector<Change> drop(State& state, const std::string& key);
  static std::vector<Change> swap_in_list(State& state, std::uint64_t version);
  static void unindex(State& state, const std::string& key, const json& object);

  Guarded<State> state_;
};

}  // namespace mc::kube
