#include "services/controller/reconcile/flux_defaults.h"

#include <array>
#include <string>

#include "common/api/model/names.h"
#include "common/api/schema/schema.h"

namespace mc::controller {
namespace {

using Pointer = json::json_pointer;

const std::array<Pointer, 3>& fields() {
  static const std::array out = {Pointer("/container/image"), Pointer("/connectTimeout"),
                                 Pointer("/brokerConfig")};
  return out;
}

const json& defaults_of_the_crd() {
  static const json object =
      api::with_static_defaults({{"spec", {{"flux", {{"container", json::object()}}}}}});
  return at_path(object, {"spec", "flux"});
}

bool is_empty_text(const json& value) {
  return value.is_string() && value.get_ref<const std::string&>().empty();
}

bool is_left_out(const json& flux, const Pointer& field) {
  if (!flux.contains(field) || flux.at(field).is_null() || is_empty_text(flux.at(field))) {
    return true;
  }
  const json& usual = defaults_of_the_crd();
  return usual.contains(field) && usual.at(field) == flux.at(field);
}

}  // namespace

json offered_defaults(const Observed& observed) {
  const Job* job = observed.find_job();
  if (job == nullptr) return observed.quota.defaults.tree();
  if (job->notes.defaults.empty()) return nullptr;
  json recorded = json::parse(job->notes.defaults.str(), nullptr, false);
  return recorded.is_object() ? recorded : json();
}

json used_defaults(const Observed& observed) {
  json out = json::object();
  const json offered = offered_defaults(observed);
  if (offered.is_null()) return out;
  const json cluster = observed.cluster->written.tree();
  const json& flux = at_path(cluster, {"spec", "flux"});
  for (const Pointer& field : fields()) {
    if (!offered.contains(field) || !is_left_out(flux, field)) continue;
    const json& value = offered.at(field);
    if (value.is_string() && !is_empty_text(value)) out[field] = value;
  }
  return out;
}

}  // namespace mc::controller
