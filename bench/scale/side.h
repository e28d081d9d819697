#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/fleet/plane.h"
#include "bench/scale/mix.h"
#include "bench/scale/simulator.h"
#include "bench/support/scrape.h"
#include "bench/support/server.h"
#include "common/base/json.h"

namespace mc::bench {

// A controller that decides who runs, on a plane of its own, and how to use it.
struct Side {
  Plane& plane;
  const Server& process;
  std::function<Scrape()> scrape;
  SimulatorRules rules;
  std::function<json(const Member& member)> object;  // to create, as rules.resource or before it
  kube::Resource created;
  std::string decision;  // the histogram of what a decision takes, in seconds
};

struct Outcome {
  double until_waiting = 0;         // s, from the first creation until nothing is left to do
  double until_last_admission = 0;  // s, from the end of the blockers
  double cpu_waiting = 0;           // s, of the controller, until all wait
  double cpu = 0;                   // s, from the end of the blockers until nothing is left to do
  double peak = 0;                  // MiB, resident
  double decision_p99 = 0;          // ms
  double api_server = 0;            // s of CPU, of the API server, as for the controller
  double writes_waiting = 0, writes = 0;  // of the controller, for each member
  double etcd_waiting = 0, etcd = 0;      // MiB
  std::size_t evictions = 0;
};

// Before the clock starts, blockers hold all CPUs, all members of the mix exist and wait, and the
// controller has nothing left to do. Then the blockers end.
Outcome measure(const Side& side, const std::vector<Member>& members);

// Creates the namespaces of the queues, and stops the controllers of Kubernetes: the Job's would
// create pods.
void prepare(Plane& plane);

// `controller`: the program, as released.
Outcome measure_ours(const std::string& controller, const std::vector<Member>& members);
// `folder`: that tests/kueue/build.sh printed.
Outcome measure_kueue(const std::string& folder, const std::vector<Member>& members);

}  // namespace mc::bench
