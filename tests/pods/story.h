#pragma once
#include <string>
#include <utility>

#include "tests/pods/node.h"
#include "tests/support/clusters.h"

namespace mc::pods {

// Four pods that run `command` once on each.
inline api::MiniCluster four(std::string command) {
  api::MiniCluster out = test::cluster(std::move(command), 4);
  out.spec.tasks = 4;
  out.spec.flux.container.image = kViewImage;
  return out;
}

}  // namespace mc::pods
