#pragma once
#include <expected>

#include "common/base/arguments.h"
#include "services/kubectl-minicluster/verbs/verb.h"

namespace mc::kubectl {

struct Options {
  ClusterFlags cluster;
  Verb verb;
};

// The command line: a verb and its flags. kubectl passes on what follows `kubectl minicluster`.
[[nodiscard]] std::expected<Options, Exit> parse_options(int argc, const char* const* argv);

}  // namespace mc::kubectl
