#pragma once
#include <map>
#include <string>

#include "common/base/json.h"

namespace mc::api {

// Whether a meta/v1 LabelSelector selects an object with these labels. null and {} select every
// object. An operator that Kubernetes does not have selects none.
bool selects(const json& selector, const std::map<std::string, std::string>& labels);

}  // namespace mc::api
