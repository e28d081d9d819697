#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tests/services/controller/queueing/simulation.h"

// Traces of parallel computers in the Standard Workload Format
// (www.cs.huji.ac.il/labs/parallel/workload/swf.html).
namespace mc::bench {

struct Trace {
  std::int64_t processors = 0;  // of the computer: MaxProcs, or the most that a job asks for
  // By arrival, a pod for each processor. A user's jobs are in one namespace.
  std::vector<controller::queueing::test::Arrival> jobs;
};

// Jobs that ran, with the time that was asked for; a line that has none of both is left out. Fails
// if the file cannot be read or has no such job.
Result<Trace> read_swf(const std::string& path);

}  // namespace mc::bench
