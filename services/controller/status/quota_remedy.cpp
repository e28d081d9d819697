#include "services/controller/status/quota_remedy.h"

#include <ranges>
#include <set>
#include <string_view>
#include <vector>

#include "common/api/validation/validate.h"
#include "common/base/text.h"
#include "common/render/entrypoint.h"

namespace mc::controller {
namespace {

// The containers in `must specify limits.cpu for: a,b; limits.memory for: a` (k8s.io/kubernetes
// pkg/quota/v1/evaluator/core, PodConstraintsFunc).
std::set<std::string> containers_in(std::string_view refusal) {
  constexpr std::string_view kFor = " for: ";
  std::set<std::string> out;
  const std::size_t start = refusal.find("must specify ");
  if (start == std::string_view::npos) return out;
  for (const auto part : std::views::split(refusal.substr(start), ';')) {
    const std::string_view one(part.begin(), part.end());
    const std::size_t names = one.find(kFor);
    if (names == std::string_view::npos) continue;
    for (const auto name : std::views::split(one.substr(names + kFor.size()), ',')) {
      out.emplace(name.begin(), name.end());
    }
  }
  return out;
}

}  // namespace

std::string remedy_of_quota(const std::string& refusal, const api::MiniCluster& cluster) {
  const std::set<std::string> lacking = containers_in(refusal);
  std::vector<std::string> fields;
  const auto add = [&](const std::string& container, const api::FieldPath& path) {
    if (lacking.contains(container)) fields.push_back((path / "resources").str());
  };
  const api::Spec& spec = cluster.spec;
  if (!spec.flux.container.disable) {
    add(spec.flux.container.name, api::kSpec / "flux" / "container");
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    add(render::container_name(cluster, i), (api::kSpec / "containers")[i]);
  }
  for (std::size_t i = 0; i < spec.services.size(); ++i) {
    add(spec.services[i].name, (api::kSpec / "services")[i]);
  }
  return fields.empty() ? "" : "; set " + joined(fields, ", ");
}

}  // namespace mc::controller
