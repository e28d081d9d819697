#include "common/api/validation/limits.h"

#include <utility>

#include "common/api/model/flux_setup.h"
#include "common/api/model/pod_requests.h"
#include "common/base/json.h"

namespace mc::api {
namespace {

Amounts requests_of(const std::vector<Container>& containers) {
  json pod = {{"containers", json::array()}};
  for (const Container& container : containers) {
    pod["containers"].push_back({{"resources", container.resources}});
  }
  return pod_requests(pod);
}

// What the pods of the MiniCluster request at least. spec.pod may change it in ways that only the
// rendered pods show.
Amounts least_demand(const Spec& spec) {
  Amounts out;
  if (spec.pod.resources.is_null() && spec.pod.template_patch.is_null()) {
    for (auto& [name, amount] : requests_of(spec.containers)) out[name] += amount * spec.size;
    for (auto& [name, amount] : requests_of(spec.services)) out[name] += amount;
  }
  out[kPodsResource] = Quantity(spec.size + (spec.services.empty() ? 0 : 1));
  out[kMiniClustersResource] = Quantity(1);
  return out;
}

}  // namespace

std::string limits_text(const PublishedLimits& limits) {
  json hard = json::object();
  for (const auto& [name, amount] : limits.hard) hard[name] = amount.str();
  return dump({{"fluxsetup", limits.setup}, {"hard", std::move(hard)}}, 2) + "\n";
}

std::optional<PublishedLimits> read_limits(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  const json& hard = at_path(value, {"hard"});
  if (!hard.is_object()) return std::nullopt;
  PublishedLimits out{text_at(value, {"fluxsetup"}), {}};
  for (const auto& [name, amount] : hard.items()) {
    const auto read = Quantity::read(amount);
    if (!read) return std::nullopt;
    out.hard[name] = *read;
  }
  return out;
}

FieldErrors validate_limits(const MiniCluster& cluster, const PublishedLimits& limits,
                            std::optional<std::int64_t> size_before) {
  const std::int64_t size = cluster.spec.size;
  if (size_before && size <= *size_before) return {};
  FieldErrors errors;
  for (const auto& [name, amount] : least_demand(cluster.spec)) {
    const auto limit = limits.hard.find(name);
    if (limit == limits.hard.end() || amount <= limit->second) continue;
    errors.push_back(invalid(kSpec / "size", size,
                             "needs " + amount_of(name, amount) +
                                 ", but the cluster-wide limit is " + shown(name, limit->second) +
                                 " (FluxSetup " + limits.setup + ")"));
  }
  return errors;
}

}  // namespace mc::api
