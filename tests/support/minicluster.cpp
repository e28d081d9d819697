#include "tests/support/minicluster.h"

namespace mc::test {

json minicluster(const std::string& name, const json& spec) {
  json object = {
      {"apiVersion", "flux-framework.org/v1alpha2"},
      {"kind", "MiniCluster"},
      {"metadata", {{"name", name}}},
      {"spec",
       {{"size", 2}, {"containers", {{{"image", "ubuntu:noble"}, {"command", "hostname"}}}}}}};
  object.at("spec").merge_patch(spec);
  return object;
}

std::optional<std::string> condition(const Kubectl& kubectl, const std::string& name,
                                     const std::string& type, const std::string& status) {
  const json object = kubectl.get({"minicluster", name});
  if (!object.contains("/status/conditions"_json_pointer)) return std::nullopt;
  for (const json& entry : object.at("status").at("conditions")) {
    if (entry.at("type") == type && entry.at("status") == status) {
      return entry.value("message", "");
    }
  }
  return std::nullopt;
}

}  // namespace mc::test
