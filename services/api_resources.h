#pragma once
#include <cstddef>
#include <string_view>

#include "common/api/model/names.h"
#include "common/kube/request.h"

// Our own resources, as the Kubernetes client takes them.
namespace mc {

inline constexpr kube::Resource kMiniClusters{api::kGroup, api::kVersion, "miniclusters",
                                              api::kKind};
inline constexpr kube::Resource kFluxSetups{api::kGroup, api::kVersion, "fluxsetups",
                                            api::kFluxSetupKind, false};

// PodGroups in that apiVersion, with a group; it lives longer than the result.
constexpr kube::Resource pod_groups_in(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return {api_version.substr(0, slash), api_version.substr(slash + 1), "podgroups", "PodGroup"};
}

}  // namespace mc
