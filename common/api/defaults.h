#pragma once
#include <string_view>

#include "common/api/schema/schema.h"
#include "common/base/json.h"

namespace mc::api {

// The object with every default: static ones from the CRD, then the computed ones (maxSize = size,
// queuePolicy, images, runFlux of the only container, name and size (maxSize) of bursted clusters,
// what a lead broker leaves out, emptyDir of a volume with only a path). Works on any JSON and is
// idempotent; removes nothing, and replaces only values that mean "not set". On an update, an
// absent maxSize and headlessName take their values from `old` (null on create). What is to be
// stored is put into `additions` too, if that is given: not defaults of items of lists
// (set_default).
json with_defaults(json object, const json& old = nullptr, Additions* additions = nullptr);

// A defaulted object for comparisons: without what means "not set", and with what follows from the
// name of a MiniCluster, network.headlessName. That is never stored, because a copy under another
// name would keep it.
json comparable(const json& defaulted, std::string_view kind = kKind);

}  // namespace mc::api
