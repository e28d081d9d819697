#pragma once
#include <span>
#include <string_view>

// Files of the repository that are compiled into the binaries (cmake/mc.cmake, mc_embed), so that
// they need no other files.
namespace mc::embedded {

struct File {
  std::string_view name;  // without its folder
  std::string_view text;
};

// crds/: exactly one file, the CustomResourceDefinition.
std::span<const File> crds();
// common/api/schema/kubernetes-types/: exactly one file, types.json.
std::span<const File> kubernetes_types();
// common/render/scripts/: the entrypoints of the pods.
std::span<const File> scripts();

}  // namespace mc::embedded
