#include "services/controller/cache/watches.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/backoff.h"
#include "common/kube/api_error.h"
#include "services/api_resources.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=" + std::string(value);
}

// With what is read of objects of this kind.
StoreWatch watch_of(kube::WatchedStore& store, kube::Scope scope, bool may_be_forbidden = false) {
  scope.fields = fields_of(scope.resource.kind);
  return {&store, std::move(scope), may_be_forbidden};
}

kube::Scope events(const char* fields) {
  return {.resource = kube::kEvents, .field_selector = fields, .has_bookmarks = false};
}

// Between two checks whether the API server serves the resource.
constexpr std::chrono::seconds kCheckInterval{30};

// A resource that could be read is also refused for a moment, by an API server that has just
// started and does not know all rights yet. It is asked again after 20 s at most.
constexpr std::chrono::seconds kRefusedFor{60}, kLongestPause{30};

// Keeps the store up to date until the API server does not serve the resource any more, or refuses
// it and may do so, or stop is requested. Returns why it is not served.
std::string follow_until_gone(kube::Transport& transport, const StoreWatch& watch,
                              const Clock& clock, kube::InformerHooks hooks,
                              const std::stop_token& stop) {
  using Time = std::chrono::steady_clock::time_point;
  std::string why;
  bool has_worked = false;
  Time refused{}, refused_last{};
  hooks.on_synced = [&, on_synced = std::move(hooks.on_synced)] {
    has_worked = true;
    if (on_synced) on_synced();
  };
  hooks.is_permanent = [&](const Error& error) {
    if (error.kind == ErrorKind::NotFound) {
      why = "The API server serves no " + std::string(watch.scope.resource.plural);
    } else if (error.kind == ErrorKind::Forbidden && watch.may_be_forbidden) {
      const Time now = clock.now();
      if (now - refused_last > kLongestPause) refused = now;
      refused_last = now;
      if (!has_worked || now - refused >= kRefusedFor) why = error.message;
    }
    return !why.empty();
  };
  kube::Informer(transport, *watch.store, clock, watch.scope, std::move(hooks)).run(stop);
  return why;
}

// As a list without objects would do.
void forget_all(kube::WatchedStore& store) {
  store.take(kube::Restarted{});
  store.take(kube::Synced{});
}

// The fields in use are the same in all of them. The newest first.
constexpr std::string_view kVersions[] = {"v1beta2", "v1beta1"};

// That the API server does not answer is no reason to take a resource for absent. With an error, it
// answers 8 times within half a minute.
constexpr BackoffPolicy kRetry{.first = std::chrono::milliseconds(200),
                               .cap = std::chrono::seconds(15)};
constexpr int kMostFailures = 8;

// A resource in the version that the API server serves, or the reason why it cannot be watched.
using Found = Result<kube::Resource>;
// Also says whether the API server has answered at all.
using Find = std::function<Found(bool& has_answered)>;

Found find_workloads(kube::Transport& transport, bool& has_answered) {
  const kube::Request request = kube::request::group(kube::kWorkloads.group);
  const auto response = transport.send(request);
  has_answered = response.has_value();
  if (!response) return std::unexpected(response.error());
  if (response->status == 404) {
    return fail(ErrorKind::NotFound, "The API server serves no Workloads of Kueue");
  }
  if (response->status != 200) return std::unexpected(kube::api_error(request, *response));
  const auto found = served_workloads(json::parse(response->body, nullptr, false));
  if (found) return *found;
  return fail(ErrorKind::NotFound,
              "The API server serves Workloads of Kueue only in versions that this controller does "
              "not know");
}

// Asks for one object of each version, which also shows whether they may be read. The fields in use
// are the same in all but where render/pod_group.h says so.
Found find_pod_groups(kube::Transport& transport, api::GangKind kind, const std::string& ns,
                      bool& has_answered) {
  const api::GangKindFacts& facts = api::facts_of(kind);
  for (const std::string_view version : facts.versions) {
    if (version.empty()) continue;
    const kube::Resource wanted = pod_groups_in(version);
    const kube::Request request =
        kube::request::list(wanted, ns, {.limit = 1, .metadata_only = true});
    const auto response = transport.send(request);
    has_answered = response.has_value();
    if (!response) return std::unexpected(response.error());
    if (response->status == 200) return wanted;
    if (response->status != 404) return std::unexpected(kube::api_error(request, *response));
  }
  const bool is_native = kind == api::GangKind::Native;
  return fail(ErrorKind::NotFound,
              "The API server serves no PodGroups of " + std::string(facts.name) +
                  (is_native ? " (scheduling.k8s.io v1beta1 or v1alpha2, feature gate "
                               "GenericWorkload)"
                             : " (" + std::string(facts.versions[0]) + ")"));
}

// What `find` finds once the API server answers, or its error after kMostFailures answers.
Found find_patiently(const Find& find, const kube::InformerHooks& hooks,
                     const std::stop_token& stop) {
  int answers = 0;
  for (int failures = 1;; ++failures) {
    bool has_answered = false;
    Found found = find(has_answered);
    if (has_answered) ++answers;
    if (found || !may_pass(found.error()) || answers == kMostFailures || stop.stop_requested()) {
      return found;
    }
    if (failures == 1 && hooks.log) hooks.log(found.error().message + "; trying again");
    const std::chrono::seconds asked(found.error().retry_after_s);
    wait(std::max<std::chrono::milliseconds>(asked, backoff_delay(kRetry, failures)), stop);
  }
}

// Says why there is nothing to follow, unless `reported` is the same, and counts as a list.
void tell_absence(const kube::InformerHooks& hooks, const std::string& why, std::string& reported) {
  if (reported != why && hooks.log) hooks.log(why + "; checking again twice a minute");
  reported = why;
  if (hooks.on_synced) hooks.on_synced();
}

// Keeps `store` up to date with what `find` finds, of which `tell` learns first. While that is
// nothing, the store is empty, which counts as a list, and `find` is called again twice a minute.
// Returns once stop is requested.
void follow_found(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                  const std::string& ns, const kube::InformerHooks& hooks,
                  const std::stop_token& stop, const Find& find,
                  const std::function<void(const Found&)>& tell) {
  std::string reported;  // until it is found again
  while (true) {
    const Found found = find_patiently(find, hooks, stop);
    if (stop.stop_requested()) return;
    tell(found);
    if (found) {
      reported.clear();
      follow_until_gone(transport,
                        {&store, {.resource = *found, .ns = ns, .fields = fields_of(found->kind)}},
                        clock, hooks, stop);
      forget_all(store);
    } else {
      tell_absence(hooks, found.error().message, reported);
    }
    wait(kCheckInterval, stop);
  }
}

}  // namespace

std::vector<StoreWatch> watches(Caches& caches) {
  const std::string ours = label(api::kManagedByLabel, api::kManagedByValue);
  std::vector<StoreWatch> all;
  const auto add = [&all](auto& set, kube::Scope scope, bool may_be_forbidden = false) {
    for (auto& [ns, store] : set.stores()) {
      scope.ns = ns;
      all.push_back(watch_of(store, scope, may_be_forbidden));
    }
  };
  add(caches.clusters, {.resource = kMiniClusters});
  add(caches.config_maps,
      {.resource = kube::kConfigMaps, .label_selector = ours, .metadata_only = true});
  add(caches.services, {.resource = kube::kServices, .label_selector = ours});
  add(caches.pod_disruption_budgets,
      {.resource = kube::kPodDisruptionBudgets, .label_selector = ours}, true);
  add(caches.pods, {.resource = kube::kPods, .label_selector = ours});
  add(caches.jobs, {.resource = kube::kJobs, .label_selector = ours});
  // Only these events say why a Job has no pods, and a pod no volume.
  add(caches.refusals, events("involvedObject.kind=Job,reason=FailedCreate"));
  add(caches.mount_failures, events("involvedObject.kind=Pod,reason=FailedMount"));
  return all;
}

std::vector<StoreWatch> limit_watches(Caches& caches) {
  return {watch_of(caches.setups, {.resource = kFluxSetups}),
          watch_of(caches.namespaces, {.resource = kube::kNamespaces, .metadata_only = true}),
          watch_of(caches.priority_classes, {.resource = kube::kPriorityClasses})};
}

void follow_if_served(kube::Transport& transport, const StoreWatch& watch, const Clock& clock,
                      const kube::InformerHooks& hooks, const std::stop_token& stop) {
  std::string reported;
  while (!stop.stop_requested()) {
    const std::string why = follow_until_gone(transport, watch, clock, hooks, stop);
    if (stop.stop_requested()) return;
    forget_all(*watch.store);
    tell_absence(hooks, why, reported);
    wait(kCheckInterval, stop);
  }
}

std::optional<kube::Resource> served_workloads(const json& group) {
  const auto& served = items_at(group, {"versions"});
  for (const std::string_view version : kVersions) {
    const bool is_served = std::ranges::any_of(
        served, [&](const json& entry) { return text_at(entry, {"version"}) == version; });
    if (!is_served) continue;
    kube::Resource found = kube::kWorkloads;
    found.version = version;
    return found;
  }
  return std::nullopt;
}

void follow_workloads(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const std::string& ns, const kube::InformerHooks& hooks,
                      const std::stop_token& stop) {
  follow_found(
      transport, store, clock, ns, hooks, stop,
      [&](bool& has_answered) { return find_workloads(transport, has_answered); },
      [](const Found&) {});
}

void follow_pod_groups(kube::Transport& transport, Caches& caches, api::GangKind kind,
                       kube::WatchedStore& store, const Clock& clock, const std::string& ns,
                       const kube::InformerHooks& hooks, const std::stop_token& stop) {
  follow_found(
      transport, store, clock, ns, hooks, stop,
      [&](bool& has_answered) { return find_pod_groups(transport, kind, ns, has_answered); },
      [&](const Found& found) {
        caches.set_pod_groups(ns, kind,
                              found ? PodGroupOffer{kube::api_version(*found), ""}
                                    : PodGroupOffer{"", found.error().message});
      });
}

}  // namespace mc::controller
