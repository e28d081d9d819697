#pragma once
#include "common/base/json.h"

namespace mc::api {

// Whether a meta/v1 LabelSelector selects an object with these `labels` (a map of texts, or null).
// null and {} select every object. An operator that Kubernetes does not have selects none.
bool selects(const json& selector, const json& labels);

}  // namespace mc::api
