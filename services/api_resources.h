#pragma once
#include "common/api/model/names.h"
#include "common/kube/request.h"

// Our own resources, as the Kubernetes client takes them.
namespace mc {

inline constexpr kube::Resource kMiniClusters{api::kGroup, api::kVersion, "miniclusters",
                                              api::kKind};
inline constexpr kube::Resource kFluxSetups{api::kGroup, api::kVersion, "fluxsetups",
                                            api::kFluxSetupKind, false};

}  // namespace mc
