#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

// What each container of the Job's pods runs: the scripts of common/render/scripts and the
// data that they read. The scripts are the same for every MiniCluster; no value is inserted into
// them.
namespace mc::render {

enum class Role {
  Runner,   // wait-N.sh: starts a broker
  Wrapped,  // start-N.sh: a sidecar with a command or snippets, ended with the broker
  Native,   // its own entry point, unwrapped; a Kubernetes sidecar (restartable init container)
};

// The role of container `index` of spec.containers. One container runs Flux: the first with
// runFlux, or else the first.
Role role(const api::MiniCluster& cluster, std::size_t index);

// Whether the command's standard input is open for a client, by the runner's `stdin`. A batch
// submits jobs without one, and `interactive` has a terminal.
bool takes_input(const api::Spec& spec, const api::Container& runner);

// The runner has the name of the MiniCluster; a container without a name (which validation refuses)
// is container-N.
std::string container_name(const api::MiniCluster& cluster, std::size_t index);

// A file below /flux_operator.
struct EntrypointFile {
  using Text = std::function<std::string(const api::MiniCluster&)>;

  std::string key;   // in the ConfigMap; several files may share one
  std::string path;  // below the mount
  Text text;         // of the same MiniCluster; called for the ConfigMap alone
  bool executable = false;
};

// Every file except the certificate, in a stable order.
std::vector<EntrypointFile> entrypoint_files(const api::MiniCluster& cluster);

// The immutable ConfigMap with these files, which has no secrets.
json config_map(const api::MiniCluster& cluster);
json config_map_outline(const api::MiniCluster& cluster);  // without the files

}  // namespace mc::render
