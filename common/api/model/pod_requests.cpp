#include "common/api/model/pod_requests.h"

#include <algorithm>
#include <string_view>

namespace mc::api {
namespace {

void raise_to(Amounts& to, const Amounts& least) {
  for (const auto& [name, amount] : least) {
    Quantity& has = to[name];
    has = std::max(has, amount);
  }
}

// A ResourceList, as the API server stores it: null is 0, and not absent.
Amounts amounts_in(const json& list) {
  Amounts out;
  if (!list.is_object()) return out;
  for (const auto& [name, value] : list.items()) {
    const auto amount = value.is_null() ? Quantity() : Quantity::read(value);
    if (amount && *amount >= Quantity()) out[name] = amount->rounded_to_milli();
  }
  return out;
}

Amounts requests_of(const json& container) {
  Amounts out = amounts_in(at_path(container, {"resources", "requests"}));
  out.merge(amounts_in(at_path(container, {"resources", "limits"})));
  return out;
}

Amounts requests_of_containers(const json& pod_spec) {
  Amounts sum, sidecars, most_at_start;
  for (const json& container : items_at(pod_spec, {"containers"})) {
    add_amounts(sum, requests_of(container));
  }
  for (const json& container : items_at(pod_spec, {"initContainers"})) {
    Amounts requests = requests_of(container);
    if (text_at(container, {"restartPolicy"}) == "Always") {
      add_amounts(sum, requests);
      add_amounts(sidecars, requests);
    } else {
      add_amounts(requests, sidecars);
      raise_to(most_at_start, requests);
    }
  }
  raise_to(sum, most_at_start);
  return sum;
}

// The others cannot be requested for a pod as a whole.
bool is_of_whole_pod(std::string_view name) {
  return name == "cpu" || name == "memory" || is_huge_pages(name);
}

// The pod's request replaces those of its containers. Its limit does so only for huge pages, or if
// no container requests the resource.
void apply_whole_pod(const json& pod_spec, Amounts& out) {
  const Amounts requests = amounts_in(at_path(pod_spec, {"resources", "requests"}));
  for (const auto& [name, limit] : amounts_in(at_path(pod_spec, {"resources", "limits"}))) {
    if (!is_of_whole_pod(name)) continue;
    if (is_huge_pages(name) || !out.contains(name)) out[name] = limit;
  }
  for (const auto& [name, request] : requests) {
    if (is_of_whole_pod(name)) out[name] = request;
  }
}

}  // namespace

Amounts pod_requests(const json& pod_spec) {
  Amounts out = requests_of_containers(pod_spec);
  apply_whole_pod(pod_spec, out);
  add_amounts(out, amounts_in(at_path(pod_spec, {"overhead"})));
  return out;
}

}  // namespace mc::api
