#pragma once
#include <string>

#include "services/kubectl-minicluster/verbs/run_follow.h"

namespace mc::kubectl {

// The flags of verbs that follow a MiniCluster: where its output and its files go.
struct FollowFlags {
  std::string output, error;  // files; "": not given
  LeadFiles::Wanted files{.paths = {}, .folder = "."};

  bool is_set() const { return !output.empty() || !error.empty() || !files.paths.empty(); }
};

void add_follow_flags(CLI::App& app, FollowFlags& flags);

// Adds to the options what the flags say. Opens the files for the output.
[[nodiscard]] Result<void> apply(const FollowFlags& flags, Follow::Options& options);

}  // namespace mc::kubectl
