#include "tests/integration/story.h"

#include <algorithm>

namespace mc::test {
namespace {

[[maybe_unused]] ::testing::Environment* const kEndOfStage =
    ::testing::AddGlobalTestEnvironment(new EndOfStage);

std::string id(const json& object) {
  return object.at("kind").get<std::string>() + "/" +
         object.at("metadata").at("name").get<std::string>();
}

bool owned_by(const json& object, const json& uid) {
  for (const json& owner : object.at("metadata").value("ownerReferences", json::array())) {
    if (owner.at("uid") == uid) return true;
  }
  return false;
}

}  // namespace

bool is_untouched(const json& minicluster) {
  return value_at(minicluster, "/status/observedGeneration", 0) == -1 &&
         !minicluster["status"].contains("conditions");
}

bool has_condition(const Kubectl& kubectl, const std::string& name, const std::string& type,
                   const std::string& status) {
  const bool came = eventually([&] { return condition(kubectl, name, type, status).has_value(); });
  EXPECT_TRUE(came) << "no condition " << type << "=" << status << " on\n"
                    << kubectl.get({"minicluster", name}).dump(2);
  return came;
}

std::map<std::string, json> owned(const Kubectl& kubectl, const std::string& name) {
  std::map<std::string, json> objects;
  const json cluster = kubectl.get({"minicluster", name});
  if (cluster.is_null()) return objects;
  const json list = kubectl.get({"configmaps,secrets,services,pods,jobs"});
  for (const json& object : list.at("items")) {
    if (owned_by(object, cluster.at("metadata").at("uid"))) objects[id(object)] = object;
  }
  return objects;
}

bool has_scripts(const Kubectl& kubectl, const std::string& name) {
  const json uid = value_at(kubectl.get({"minicluster", name}), "/metadata/uid", json());
  if (condition(kubectl, name, "ObjectsReady", "True").value_or("").contains("ConfigMap")) {
    return true;
  }
  return std::ranges::any_of(kubectl.items({"configmaps"}),
                             [&](const json& object) { return owned_by(object, uid); });
}

std::map<std::string, std::string> versions(const Kubectl& kubectl, const std::string& name) {
  std::map<std::string, std::string> result;
  for (const auto& [key, object] : owned(kubectl, name)) {
    const json& metadata = object.at("metadata");
    if (object.at("kind") == "Job") {
      result[key] = object.at("spec").dump() + metadata.at("labels").dump();
    } else {
      result[key] = metadata.at("resourceVersion").get<std::string>();
    }
  }
  result["MiniCluster"] =
      kubectl.get({"minicluster", name}).at("metadata").at("resourceVersion").get<std::string>();
  return result;
}

void let_the_controller_catch_up(const Kubectl& kubectl) {
  static int count = 0;
  const std::string name = "after-" + std::to_string(++count);
  kubectl.must({"create", "-f", "-"}, minicluster(name).dump());
  EXPECT_TRUE(has_condition(kubectl, name, "ObjectsReady", "True"));
}

}  // namespace mc::test
