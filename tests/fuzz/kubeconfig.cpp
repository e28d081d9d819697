#include "common/base/yaml.h"
#include "common/kube/config.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

constexpr const char* kMarker = "c0nf1dential";

// Appends the marker to the credentials of every user; returns whether there are any.
bool plant(json& value) {
  bool planted = false;
  if (value.is_array()) {
    for (json& item : value) planted = plant(item) || planted;
  } else if (value.is_object()) {
    for (auto& [name, member] : value.items()) {
      const bool secret = name == "token" || name == "password" || name == "client-key-data" ||
                          name == "client-certificate-data";
      if (secret && member.is_string()) {
        member = member.get<std::string>() + kMarker;
        planted = true;
      } else {
        planted = plant(member) || planted;
      }
    }
  }
  return planted;
}

}  // namespace

void kubeconfig(std::string_view input) {
  const auto nowhere = std::filesystem::path("/nonexistent");
  if (const auto config = kube::parse_kubeconfig(input, nowhere)) {
    require(kube::parse_server(config->server).has_value(), "the server is one");
  }
  (void)kube::parse_server(std::string(input));
  auto documents = parse_yaml(input);
  if (!documents || documents->size() != 1 || input.contains(kMarker)) return;
  json& file = documents->front();
  if (!plant(file)) return;
  const auto config = kube::parse_kubeconfig(to_yaml(file), nowhere);
  require(config || !config.error().message.contains(kMarker), "an error shows no credential");
}

}  // namespace mc::fuzz
