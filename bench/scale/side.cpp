#include "bench/scale/side.h"

#include <chrono>
#include <cstdio>

#include "bench/fleet/controller.h"
#include "tests/support/must.h"

namespace mc::bench {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

void create(const Side& side, const std::vector<Member>& members) {
  in_parallel(static_cast<int>(members.size()), [&](int number) {
    const Member& member = members[static_cast<std::size_t>(number)];
    test::must(side.plane.client().create(side.created, side.object(member)));
  });
}

constexpr const char* kCpu = "process_cpu_seconds_total";

// What is known at a moment.
struct Moment {
  Moment(const Side& side, Simulator& simulator)
      : at(steady_clock::now()),
        scrape(side.scrape()),
        api_server(side.plane.scrape()),
        cpu(side.process.cpu_seconds()),
        writes(api_writes(api_server) - static_cast<double>(simulator.sent())) {}

  double since(const Moment& other) const { return Seconds(at - other.at).count(); }
  // Of etcd's database, with what it has not yet compacted.
  double etcd_mib() const { return api_server.sum("apiserver_storage_size_bytes") / (1024 * 1024); }

  steady_clock::time_point at;
  Scrape scrape, api_server;
  double cpu;     // of the controller
  double writes;  // of everybody but the simulator
};

}  // namespace

void prepare(Plane& plane) {
  plane.stop("kube-controller-manager");
  for (int i = 0; i < kQueues; ++i) {
    test::must(plane.client().create(
        kube::kNamespaces,
        {{"apiVersion", "v1"},
         {"kind", "Namespace"},
         {"metadata", {{"name", queue_name(i)}, {"labels", {{"bench", "scale"}}}}}}));
  }
}

Outcome measure(const Side& side, const std::vector<Member>& members) {
  const auto count = static_cast<double>(members.size());
  const seconds limit(300 + members.size() / 2);
  Simulator simulator(side.plane.transport(), side.rules);
  create(side, blockers());
  simulator.until_blocked(kQueues, limit);
  Outcome out;
  const Moment empty(side, simulator);
  create(side, members);
  until_idle(side.scrape, limit);
  const Moment waiting(side, simulator);
  std::fprintf(stderr, "%zu wait after %.0f s\n", members.size(), waiting.since(empty));

  const auto released = simulator.release();
  const auto last = simulator.until_ended(members.size(), limit);
  out.until_last_admission = Seconds(last - released).count();
  std::fprintf(stderr, "the last was admitted after %.1f s\n", out.until_last_admission);
  until_idle(side.scrape, limit);
  const Moment ended(side, simulator);

  out.until_waiting = waiting.since(empty);
  out.cpu_waiting = waiting.cpu - empty.cpu;
  out.cpu = ended.cpu - waiting.cpu;
  out.api_server = ended.api_server.sum(kCpu) - waiting.api_server.sum(kCpu);
  out.peak = side.process.peak_mib();
  out.decision_p99 = histogram_quantile(waiting.scrape, ended.scrape, side.decision, 0.99) * 1e3;
  out.writes_waiting = (waiting.writes - empty.writes - count) / count;  // it has created them
  out.writes = (ended.writes - waiting.writes) / count;
  out.etcd_waiting = waiting.etcd_mib();
  out.etcd = ended.etcd_mib();
  out.evictions = simulator.evictions();
  return out;
}

}  // namespace mc::bench
