#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "services/controller/cluster/types.h"

namespace mc::controller {

// The pods of a Job that have a node, by the second in which they got it. From these it is told how
// long it took to bind the pods that the command needs, once for each start: from the first pod
// that is bound until none is any more. Pure.
class Bindings {
 public:
  void add(const Pod& pod);
  void remove(const Pod& pod);  // as it was added

  // To be called after each change, which may be a removal and an addition.
  void settle();

  // Pods that have a node, and neither have ended nor are about to.
  std::int64_t count() const { return count_; }

  // The time from the first to the last of the pods that are needed, to the second; nothing before
  // all have a node, or if it was told in this start.
  std::optional<std::chrono::seconds> take_time(std::int64_t needed);

  // The start that is under way is another one's to tell.
  void pass_over() { is_told_ = true; }

 private:
  std::map<Time, std::int64_t>
      bound_;  // number of pods; few, as a scheduler binds many in a second
  std::int64_t count_ = 0;
  bool is_told_ = false;
};

}  // namespace mc::controller
