#pragma once
#include "common/api/schema/schema.h"
#include "common/base/json.h"

namespace mc::api {

// The object with every default: static ones from the CRD, then the computed ones (maxSize = size,
// headlessName = name, queuePolicy, runFlux of the only container, size and name of bursted
// clusters, emptyDir of a volume with only a path). Works on any JSON and is idempotent; removes
// nothing, and replaces only values that mean "not set". On an update, an absent computed field
// takes its value from `old` (null on create). Without metadata.name (generateName in a mutating
// webhook) headlessName is left out. What is set is put into `additions` too, if that is given.
json with_defaults(json object, const json& old = nullptr, Additions* additions = nullptr);

}  // namespace mc::api
