#include "common/api/model/flux_setup.h"

#include <algorithm>

#include "common/api/model/reader.h"

namespace mc::api {
namespace {

NamespaceLimits read_namespace_limits(const Reader& in) {
  NamespaceLimits out;
  out.selector = in.embedded("selector");
  out.hard = in.quantities("hard");
  out.priority_class_names = in.texts("priorityClassNames");
  out.weight = in.integer("weight");
  return out;
}

FluxDefaults read_flux_defaults(const Reader& in) {
  FluxDefaults out;
  out.image = in.child("container").text("image");
  out.connect_timeout = in.text("connectTimeout");
  out.broker_config = in.text("brokerConfig");
  return out;
}

void read_flux_setup_spec(const Reader& in, FluxSetup& out) {
  out.hard = in.quantities("hard");
  out.namespaces = in.list("namespaces", read_namespace_limits);
  out.queueing_strategy = in.text("queueingStrategy", out.queueing_strategy);
  out.override_priority_class_names = in.texts("overridePriorityClassNames");
  out.deadlock_policy = in.text("deadlockPolicy", out.deadlock_policy);
  out.half_life_seconds = in.child("fairShare").integer("halfLifeSeconds");
  out.defaults = read_flux_defaults(in.child("defaults").child("flux"));
}

}  // namespace

std::string_view limited_resource(std::string_view name) {
  constexpr std::string_view kRequests = "requests.";
  if (name.starts_with(kRequests)) name.remove_prefix(kRequests.size());
  return name;
}

Amounts amounts(const ResourceList& list) {
  Amounts out;
  for (const auto& [name, text] : list) {
    const auto limit = Quantity::parse(text);
    if (!limit) continue;
    const auto [at, added] = out.emplace(limited_resource(name), *limit);
    if (!added) at->second = std::min(at->second, *limit);
  }
  return out;
}

FluxSetup parse_flux_setup(const json& object) {
  const Reader root(&object);
  const Reader metadata = root.child("metadata");
  FluxSetup out;
  out.name = metadata.text("name");
  out.generate_name = metadata.text("generateName");
  out.uid = metadata.text("uid");
  out.created = metadata.text("creationTimestamp");
  out.generation = metadata.integer("generation").value_or(0);
  out.annotations = metadata.strings("annotations");
  read_flux_setup_spec(root.child("spec"), out);
  return out;
}

std::set<std::string> parsed_flux_setup_paths() {
  std::set<std::string> seen;
  FluxSetup unused;
  read_flux_setup_spec(Reader(nullptr, "spec", &seen), unused);
  return seen;
}

}  // namespace mc::api
