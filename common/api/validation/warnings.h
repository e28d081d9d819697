#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/flux_setup.h"
#include "common/api/model/minicluster.h"

// Warnings about fields that are accepted but have no effect, or a surprising one. Kubernetes asks
// for short warnings: a path and a sentence each.
namespace mc::api {

using Warnings = std::vector<std::string>;

inline void warn(Warnings& out, const FieldPath& path, std::string_view sentence) {
  out.push_back(path.str() + ": " + std::string(sentence));
}

// `path: sentence` each.
Warnings warnings(const MiniCluster& cluster);
Warnings warnings(const FluxSetup& setup);

// An image that is the default of spec.containers[].image, or that has no version; "": none.
void warn_image(const std::string& image, const FieldPath& path, Warnings& out);

// For a MiniCluster that no limits of a FluxSetup are known for: what priorityClassName is not.
void warn_priority_class(const MiniCluster& cluster, Warnings& out);

// The lines of texts that become files or words, in the object as it was written: with CR LF.
void warn_carriage_returns(const json& object, Warnings& out);

// The part of warnings() about snippets and modes that are never used.
void warn_commands(const MiniCluster& cluster, Warnings& out);

}  // namespace mc::api
