#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"

// How far a MiniCluster is.
namespace mc::kubectl {

// From creation to the moment at which the command may start.
struct Progress {
  std::string name = {};
  std::int64_t size = 0;  // pods that are wanted
  // Of these, how many are scheduled; have their images; are ready.
  std::int64_t scheduled = 0, pulled = 0, ready = 0;
  bool no_pods = true;  // it has no pods yet, or none any more
  bool quorum = false;  // enough are ready for the command
  // `Reason: message` of the condition that says why it does not go on; "" if none does.
  std::string blocked = {};

  friend bool operator==(const Progress&, const Progress&) = default;
};

// `pods`: those of the MiniCluster.
Progress progress_of(const json& minicluster, const std::vector<json>& pods);

// `scheduled 4/4, pulled 3/4, ready 0/4`, or `no pods yet`, or `running`.
std::string stage_of(const Progress& progress);

// The same with a bar, in at most `columns` columns: `lammps [####    ] scheduled 4/4, ...`.
std::string bar_of(const Progress& progress, int columns);

// Whether it is worth a line where a bar cannot be redrawn: the stage is another one, or, with many
// pods, every tenth of them.
bool is_another_line(const Progress& before, const Progress& now);

// Whether the command has started, or will never start.
bool has_command_started(const json& minicluster);

// Why it has not, in a line: what blocks it, or how far it is.
std::string why_not_started(const json& minicluster, const std::vector<json>& pods);

// A run of the container that runs Flux in the pod of rank 0.
struct Lead {
  std::string pod, uid;
  std::int64_t restarts = 0;
  bool ended = false;

  bool is_same_run(const Lead& other) const {
    return uid == other.uid && restarts == other.restarts;
  }
};
// The newest one that has started, and so has a log.
std::optional<Lead> lead_of(const json& minicluster, const std::vector<json>& pods);

// The parts of a pod that this header's and pods.h's functions read. For kube::Store::Read.
json reduced_pod(const json& pod);

}  // namespace mc::kubectl
