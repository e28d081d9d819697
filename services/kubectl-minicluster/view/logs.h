#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/target.h"

// Which logs `logs` reads, and of all ranks how they become one text.
namespace mc::kubectl {

// How a log is shown; as kubectl's flags of these names.
struct LogOptions {
  bool follow = false, previous = false, timestamps = false;
  std::optional<std::int64_t> tail = {};  // the last lines only
};

// One run of the container that runs Flux, whose log can be read.
struct RankLog {
  std::int64_t rank = 0;
  Target target;
  std::string run;  // differs for each run of each pod

  bool operator<(const RankLog& other) const { return run < other.run; }
};

enum class Runs { Latest, Previous };

// The logs that can be read now: for each rank that of its last pod, if its container has started
// (Previous: was restarted in the pod). In the order of the ranks.
std::vector<RankLog> logs_to_read(const json& minicluster, const std::vector<json>& pods,
                                  Runs runs = Runs::Latest);

// How each line begins: `[rank  3] `, as wide as the highest rank needs. The colours differ for
// neighbouring ranks.
std::string rank_prefix(std::int64_t rank, std::int64_t ranks, bool colours);

// Cuts the log of one rank into lines.
class LogLines {
 public:
  // A line that is longer than this is cut.
  static constexpr std::size_t kLongest = 1 << 20;

  // `terminal`: control characters become spaces, because a terminal would act on them.
  LogLines(std::string prefix, bool terminal) : prefix_(std::move(prefix)), terminal_(terminal) {}

  // Takes what has come and returns the lines that are complete, each with prefix and newline.
  std::string take(std::string_view bytes);
  // The log has ended: returns its last line if that has no newline.
  std::string end();

 private:
  void add(std::string line, std::string& out) const;

  const std::string prefix_;
  const bool terminal_;
  std::string rest_;  // of the last line, until its newline comes
};

}  // namespace mc::kubectl
