#pragma once
#include <optional>
#include <string>
#include <string_view>

// The syntax rules of Kubernetes' own names, in apimachinery's words
// (k8s.io/apimachinery/pkg/util/validation). Each returns what is wrong, or nothing.
namespace mc::api {

std::optional<std::string> not_dns1123_label(std::string_view text);
std::optional<std::string> not_dns1035_label(std::string_view text);
std::optional<std::string> not_environment_name(std::string_view text);
std::optional<std::string> not_absolute_path(std::string_view text);

}  // namespace mc::api
