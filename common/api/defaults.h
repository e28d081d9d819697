#pragma once
#include "common/base/json.h"

namespace mc::api {

// The object with every default: static ones from the CRD, then the computed ones (maxSize = size,
// headlessName = name, queuePolicy, runFlux of the only container, bursted clusters' size and name,
// emptyDir of a volume that is only a path). Total and idempotent; never removes, and replaces only
// what means "not set". On an update, `old` (null on create) gives an absent computed field its
// value. Without metadata.name (generateName in a mutating webhook) headlessName is left out.
json with_defaults(json object, const json& old = nullptr);

}  // namespace mc::api
