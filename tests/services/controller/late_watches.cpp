#include "tests/services/controller/late_watches.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/json.h"
#include "common/kube/object.h"

namespace mc::controller::test {

void put(kube::WatchedStore& store, json object) {
  store.take(kube::Applied{std::make_shared<const json>(std::move(object))});
}

LateWatches::LateWatches(World& world, const std::string& key, Caches& caches)
    : world_(world), key_(key), caches_(caches) {
  follow(caches.clusters);
  follow(caches.config_maps);
  follow(caches.services);
  follow(caches.pod_disruption_budgets);
  follow(caches.jobs);
  follow(caches.pods);
  follow(caches.refusals);
  follow(caches.mount_failures);
  for (StoreWatch& watch : watches(caches)) {
    if (is_here(watch.scope.ns)) feeds_.push_back({std::move(watch), {}});
  }
  for (Feed& feed : feeds_) relist(feed);
  world_.on_change.emplace_back(
      [this](const json& before, const json& after) { take_in(before, after); });
}

// Supports only the two field selectors that select events.
bool LateWatches::matches(const Feed& feed, const json& object) {
  if (object.is_null() || text_at(object, {"kind"}) != feed.watch.scope.resource.kind) return false;
  const std::string& fields = feed.watch.scope.field_selector;
  if (!fields.empty() &&
      fields != "involvedObject.kind=" + text_at(object, {"involvedObject", "kind"}) +
                    ",reason=" + text_at(object, {"reason"})) {
    return false;
  }
  const std::string& selector = feed.watch.scope.label_selector;
  if (selector.empty()) return true;
  const std::size_t equals = selector.find('=');
  return text_at(object, {"metadata", "labels", selector.substr(0, equals)}) ==
         selector.substr(equals + 1);
}

kube::Object LateWatches::sent(const Feed& feed, const json& object) {
  return std::make_shared<const json>(
      kube::parse_answer(object.dump(), 0, feed.watch.scope.fields));
}

// A watch by label reports an object that lost the label as deleted.
void LateWatches::take_in(const json& before, const json& after) {
  for (Feed& feed : feeds_) {
    if (matches(feed, after)) {
      feed.pending.emplace_back(kube::Applied{sent(feed, after)});
    } else if (matches(feed, before)) {
      json last = before;
      if (!after.is_null()) {
        last["metadata"]["resourceVersion"] = text_at(after, {"metadata", "resourceVersion"});
      }
      feed.pending.emplace_back(kube::Deleted{sent(feed, last)});
    }
  }
}

// Notes whether a change of these objects concerns the MiniCluster.
template <class T>
void LateWatches::follow(kube::StoreSet<T>& objects) {
  for (auto& [ns, store] : objects.stores()) {
    if (!is_here(ns)) continue;
    store.listen([this](const kube::Change<T>& change) {
      if (std::ranges::count(cluster_keys(caches_, change), key_) == 0) return;
      due = true;
      tell(*change.latest());
    });
  }
}

// As Controller does.
template <class T>
void LateWatches::tell(const T& /*object*/) const {}
void LateWatches::tell(const MiniCluster& /*cluster*/) const { on_change(""); }
void LateWatches::tell(const Job& /*job*/) const { on_change(""); }
void LateWatches::tell(const Pod& pod) const { on_change(pod.metadata.owner.uid); }

void LateWatches::deliver_one(Feed& feed) {
  const kube::WatchEvent event = std::move(feed.pending.front());
  feed.pending.pop_front();
  feed.watch.store->take(event);
  if (world_.chance(10)) feed.watch.store->take(event);
}

void LateWatches::relist(Feed& feed) {
  feed.pending.clear();
  feed.watch.store->take(kube::Restarted{});
  for (const json& object : world_.all(feed.watch.scope.resource.kind)) {
    if (matches(feed, object)) feed.watch.store->take(kube::Listed{sent(feed, object)});
  }
  feed.watch.store->take(kube::Synced{std::to_string(world_.version())});
}

void LateWatches::deliver_some() {
  Feed& feed = feeds_[world_.pick(feeds_.size())];
  // One watch may be up to date while another is far behind.
  std::size_t left = world_.chance(40) ? feed.pending.size() : 1 + world_.pick(4);
  for (; left > 0 && !feed.pending.empty(); --left) {
    deliver_one(feed);
  }
}

void LateWatches::deliver_all() {
  for (Feed& feed : feeds_) {
    while (!feed.pending.empty()) deliver_one(feed);
  }
}

void LateWatches::relist(std::string_view kind) {
  for (Feed& feed : feeds_) {
    if (feed.watch.scope.resource.kind == kind) relist(feed);
  }
}

void LateWatches::relist_one() { relist(feeds_[world_.pick(feeds_.size())]); }

}  // namespace mc::controller::test
