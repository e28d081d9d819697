#include "services/controller/cache/workload_watch.h"

#include <algorithm>
#include <utility>

#include "common/base/json_path.h"
#include "common/base/wait.h"
#include "services/controller/cache/workload.h"

namespace mc::controller {
namespace {

constexpr std::chrono::seconds kLookAgain{30};

// The fields in use are the same in all of them. The newest first.
constexpr std::string_view kVersions[] = {"v1beta2", "v1beta1"};

std::optional<kube::Resource> look_for_workloads(kube::Transport& transport) {
  const kube::Request request = kube::request::group(kube::kWorkloads.group);
  const auto response = transport.send(request);
  if (!response || response->status != 200) return std::nullopt;
  return served_workloads(json::parse(response->body, nullptr, false));
}

// Empties the store, as a list without Workloads would do.
void forget_all(kube::Store& store, const kube::InformerHooks& hooks) {
  store.apply(kube::Restarted{});
  for (const kube::Change& change : store.apply(kube::Synced{})) {
    if (const std::string key = hooks.key(*change.before); !key.empty()) {
      hooks.on_change(key, change);
    }
  }
}

}  // namespace

std::optional<kube::Resource> served_workloads(const json& group) {
  const json& served = at_path(group, {"versions"});
  if (!served.is_array()) return std::nullopt;
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

void follow_workloads(kube::Transport& transport, kube::Store& store, const Clock& clock,
                      const std::string& ns, const kube::InformerHooks& hooks,
                      const std::stop_token& stop) {
  kube::InformerHooks until_gone = hooks;
  until_gone.gives_up = [](const Error& error) { return error.kind == ErrorKind::NotFound; };
  bool told = false;
  while (!stop.stop_requested()) {
    if (const auto found = look_for_workloads(transport)) {
      told = false;
      kube::Informer(transport, store, clock,
                     {.resource = *found, .ns = ns, .reduce = reduce_workload}, until_gone)
          .run(stop);
      forget_all(store, hooks);
    } else if (!std::exchange(told, true)) {
      hooks.log("The API server serves no Workloads of Kueue; checking again twice a minute");
    }
    wait(kLookAgain, stop);
  }
}

}  // namespace mc::controller
