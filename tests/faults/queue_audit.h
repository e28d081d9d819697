#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace mc::test {

// What a queue with a FluxSetup did wrong in a namespace, according to the API server's audit log
// (tests/control_plane), one sentence each:
// - a pod was created past the limit of pods, although its Job was allowed to have it only after
//   the leader knew that limit. It knows the limits that it has written into `minicluster-limits`,
//   and no request that was decided before is received more than kOnItsWay later. Pods of Jobs that
//   others than replicas resumed are not counted, until a replica resumes that Job.
// - limits were written into `minicluster-limits` that no FluxSetup had.
// - a MiniCluster that waits was promised a start, and later the status has no promise or a later
//   one, with the same spec; or it neither says when it starts nor StartDelayed.
// - a MiniCluster was told when it starts at the latest, did not start then, and was not told
//   otherwise kUntilTold later. A time that had passed when it was told, by a leader whose clock
//   was behind, is to be corrected within kUntilTold of that.
std::vector<std::string> blame_queue(const std::filesystem::path& log, const std::string& space);

}  // namespace mc::test
