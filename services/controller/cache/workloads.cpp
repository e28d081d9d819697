#include "services/controller/cache/workloads.h"

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/kube/api_error.h"
#include "services/controller/cache/watches.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

// The fields in use are the same in all of them. The newest first.
constexpr std::string_view kVersions[] = {"v1beta2", "v1beta1"};

// The version of Workloads that the API server serves, or the reason why it cannot be watched.
std::expected<kube::Resource, std::string> find_workloads(kube::Transport& transport) {
  const kube::Request request = kube::request::group(kube::kWorkloads.group);
  const auto response = transport.send(request);
  if (!response) return std::unexpected(response.error().message);
  if (response->status == 404) {
    return std::unexpected("The API server serves no Workloads of Kueue");
  }
  if (response->status != 200) return std::unexpected(kube::api_error(request, *response).message);
  const auto found = served_workloads(json::parse(response->body, nullptr, false));
  if (found) return *found;
  return std::unexpected(
      "The API server serves Workloads of Kueue only in versions that this controller does not "
      "know");
}

}  // namespace

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
  kube::InformerHooks until_gone = hooks;
  until_gone.is_permanent = [](const Error& error) { return error.kind == ErrorKind::NotFound; };
  std::string reported;  // until there are Workloads again
  while (!stop.stop_requested()) {
    if (const auto found = find_workloads(transport)) {
      reported.clear();
      kube::Informer(transport, store, clock,
                     {.resource = *found, .ns = ns, .fields = fields_of(Workload::kKind)},
                     until_gone)
          .run(stop);
      forget_all(store);
    } else if (reported != found.error()) {
      reported = found.error();
      hooks.log(reported + "; checking again twice a minute");
    }
    wait(kCheckInterval, stop);
  }
}

}  // namespace mc::controller
