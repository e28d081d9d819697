#pragma once
#include <optional>
#include <string>
#include <string_view>

// Syntax rules for Kubernetes' names, in apimachinery's wording
// (k8s.io/apimachinery/pkg/util/validation), and for Flux's. Each returns the error, or nullopt.
namespace mc::api {

std::optional<std::string> not_dns1123_label(std::string_view text);
std::optional<std::string> not_dns1035_label(std::string_view text);
// The name of most objects: labels separated by dots.
std::optional<std::string> not_dns1123_subdomain(std::string_view text);
std::optional<std::string> not_environment_name(std::string_view text);
std::optional<std::string> not_absolute_path(std::string_view text);
// The path of a file in a volume: relative, without `..`.
std::optional<std::string> not_path_within(std::string_view text);
// A key of a ConfigMap or Secret.
std::optional<std::string> not_config_key(std::string_view text);
// `[HOST[:PORT]/]NAME[/NAME...][:TAG][@DIGEST]`; refuses what a kubelet reports as
// InvalidImageName.
std::optional<std::string> not_image(std::string_view text);
// `team` or `example.com/team`: the key of a label or an annotation.
std::optional<std::string> not_qualified_name(std::string_view text);
std::optional<std::string> not_label_value(std::string_view text);
// A resource.Quantity: `500m`, `1.5Gi`, `2e3` (Quantity::parse).
std::optional<std::string> not_quantity(std::string_view text);
inline constexpr const char* kNotQuantity =
    "must be a quantity, a number with an optional suffix (e.g. '500m', '2', '1.5Gi')";
// A Flux Standard Duration (RFC 23): `5s`, `1.5m`, `100ms`, `30`, `inf`.
std::optional<std::string> not_flux_duration(std::string_view text);
// A scheme of Flux's broker attribute tbon.topo (flux-broker-attributes(7)): `kary:2`, `mincrit`,
// `mincrit:3`, `binomial`, `custom`.
std::optional<std::string> not_flux_topology(std::string_view text);

}  // namespace mc::api
