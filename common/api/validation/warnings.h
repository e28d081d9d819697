#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/minicluster.h"

// What is accepted and has no effect, or surprises. Kubernetes asks for short warnings: a path and
// a sentence each.
namespace mc::api {

using Warnings = std::vector<std::string>;

inline void warn(Warnings& out, const FieldPath& path, std::string_view sentence) {
  out.push_back(path.str() + ": " + std::string(sentence));
}

// Of spec.containers and spec.services, field by field.
void warn_containers(const MiniCluster& cluster, Warnings& out);

// Of snippets and ways to start that never come to run.
void warn_commands(const MiniCluster& cluster, Warnings& out);

}  // namespace mc::api
