#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/fleet/arrivals.h"
#include "bench/fleet/controller.h"
#include "bench/fleet/floor.h"
#include "bench/fleet/lists.h"
#include "bench/fleet/plane.h"
#include "bench/support/plot.h"
#include "bench/support/report.h"
#include "services/api_resources.h"
#include "tests/support/must.h"

// Usage: bench_fleet CONTROLLER FOLDER COMMAND...
// Measures minicluster-controller on control planes of its own, each on a new one. Prints tables;
// plots and controller.tsv (Report::tsv) go to FOLDER. A COMMAND is
//   create:COUNT:ROUNDS  COUNT MiniClusters of 4 pods until all Jobs exist, beside the floor
//   (floor.h) run:COUNT:SIZE       COUNT MiniClusters of SIZE pods until all run (kwok)
//   limited:COUNT:SIZE   the same with a FluxSetup, whose limits are never reached
//   scale:COUNT          COUNT suspended MiniClusters: memory, idle, latency, a restart over them
namespace mc::bench {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kWorkers = 16;  // the controller's default, and the floor's connections

seconds limit_for(int count) { return seconds(120 + count / 5); }

struct Created {
  double until_jobs = 0;                                     // s
  double cpu = 0, creates = 0, patches = 0, reconciles = 0;  // of each MiniCluster; ms
  double peak = 0;                                           // MiB
  double start = 0;                                          // s, until it is ready
};

Created floor_creates(int count) {
  Plane plane;
  Arrivals jobs(plane.transport(), kube::kJobs);
  Floor floor(plane.transport(), kWorkers, json::object());
  const auto began = steady_clock::now();
  create_miniclusters(plane, 0, count, json::object(),
                      [&](const json& cluster) { floor.add(cluster); });
  const Time all = jobs.of_number(static_cast<std::size_t>(count), limit_for(count));
  return {.until_jobs = Seconds(all - began).count(), .cpu = floor.end() * 1e3 / count};
}

Created controller_creates(const std::string& program, int count) {
  Plane plane;
  const ControllerProcess controller(program, plane.kubeconfig());
  Arrivals jobs(plane.transport(), kube::kJobs);
  const double cpu = controller.process().cpu_seconds();
  const auto began = steady_clock::now();
  create_miniclusters(plane, 0, count, json::object(), [](const json&) {});
  const Time all = jobs.of_number(static_cast<std::size_t>(count), limit_for(count));
  controller.until_idle(limit_for(count));
  return {.until_jobs = Seconds(all - began).count(),
          .cpu = (controller.process().cpu_seconds() - cpu) * 1e3 / count,
          .creates = controller.requests("POST") / count,
          .patches = controller.requests("PATCH") / count,
          .reconciles = controller.metric("controller_runtime_reconcile_total") / count,
          .peak = controller.process().peak_mib(),
          .start = controller.ready_after().count()};
}

std::vector<double> each_of(const std::vector<Created>& rounds, double Created::* member) {
  std::vector<double> out;
  out.reserve(rounds.size());
  for (const Created& one : rounds) out.push_back(one.*member);
  return out;
}

double median_of(const std::vector<Created>& rounds, double Created::* member) {
  return median(each_of(rounds, member));
}

void create(Report& report, const std::string& program, int count, int rounds) {
  std::vector<Created> floors, ours;
  for (int round = 0; round < rounds; ++round) {
    floors.push_back(floor_creates(count));
    ours.push_back(controller_creates(program, count));
    std::fprintf(stderr, "%d: floor %.2f s, ours %.2f s\n", count, floors.back().until_jobs,
                 ours.back().until_jobs);
  }
  report.add({"process start to ready, s", median_of(ours, &Created::start), {}, Goal{0.3}});
  const std::string each = " of each of " + std::to_string(count);
  const auto compared = [&](const std::string& what, double Created::* member, Goal target) {
    return over_rounds(what, each_of(ours, member), each_of(floors, member), target);
  };
  report.add(compared(std::to_string(count) + ": all Jobs exist, s", &Created::until_jobs, {1.3}));
  Figure cpu = compared("CPU" + each + ", ms", &Created::cpu, {2});
  cpu.target_is_ours = true;
  report.add(cpu);
  report.add({"creates" + each + ", with events", median_of(ours, &Created::creates), {}, {}});
  report.add({"patches" + each, median_of(ours, &Created::patches), {}, {}});
  report.add({"reconciles" + each, median_of(ours, &Created::reconciles), {}, {}});
  const auto peak = count >= 1000 ? std::optional(Goal{40}) : std::nullopt;
  report.add({"peak resident at " + std::to_string(count) + ", MiB",
              median_of(ours, &Created::peak),
              {},
              peak});
}

// Waits until so many pods are ready. Asks the API server: a scrape of the controller would be part
// of what is measured.
void until_ready(Plane& plane, int pods) {
  const auto end = steady_clock::now() + limit_for(pods);
  const auto ready = [&] {
    std::int64_t sum = 0;
    const json all = test::must(plane.client().list(kMiniClusters, "default"));
    for (const json& cluster : items_at(all, {"items"})) {
      sum += integer_at(cluster, {"status", "ready"});
    }
    return sum;
  };
  while (ready() < pods) {
    if (steady_clock::now() > end) throw std::runtime_error("the pods are not ready");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void run_pods(Report& report, const std::string& program, int count, int size, bool limited) {
  Plane plane;
  plane.run_pods(count * size);
  if (limited) {
    test::must(plane.client().create(kFluxSetups, {{"apiVersion", "flux-framework.org/v1alpha2"},
                                                   {"kind", "FluxSetup"},
                                                   {"metadata", {{"name", "bench"}}},
                                                   {"spec", {{"hard", {{"pods", 1'000'000}}}}}}));
  }
  const ControllerProcess controller(program, plane.kubeconfig());
  const double cpu = controller.process().cpu_seconds();
  create_miniclusters(plane, 0, count, {{"size", size}}, [](const json&) {});
  until_ready(plane, count * size);
  controller.until_idle(limit_for(count * size));
  const double spent = controller.process().cpu_seconds() - cpu;
  const std::string of = std::to_string(count) + " of " + std::to_string(size) + " pods" +
                         (limited ? ", limited: " : ": ");
  const bool one = count == 1;
  report.add({of + "CPU, s", spent, {}, size == 5000 ? std::optional(Goal{3}) : std::nullopt});
  report.add({of + "CPU for each pod, ms", spent * 1e3 / (count * size), {}, {}});
  report.add({of + "objects made for each",
              controller.metric("minicluster_objects_created_total") / count,
              {},
              Goal{4}});
  report.add({of + "status writes for each",
              controller.requests("PATCH") / count,
              {},
              Goal{one ? 20.0 : 3.0}});
  report.add({of + "resident, MiB", controller.process().resident_mib(), {}, {}});
}

// The 99th percentile of the time from the creation of one more MiniCluster to its first object.
double p99_until_first_write_ms(Plane& plane, int first) {
  constexpr int kSamples = 200;
  Arrivals arrivals(plane.transport(), kube::kServices);  // a suspended one has no ConfigMap
  std::vector<double> all;
  for (int i = first; i < first + kSamples; ++i) {
    std::string name;
    Time created;
    create_miniclusters(plane, i, 1, {{"suspend", true}}, [&](const json& cluster) {
      created = steady_clock::now();
      name = text_at(cluster, {"metadata", "name"});
    });
    const Time written = arrivals.of_name(name, seconds(30));
    all.push_back(Seconds(written - created).count() * 1e3);
  }
  return quantile(all, 0.99);
}

struct Idle {
  double core_percent, requests;
};

Idle idle(const ControllerProcess& controller) {
  constexpr seconds kTime{20};
  const auto requests = [&] { return controller.metric("rest_client_requests_total"); };
  const double cpu = controller.process().cpu_seconds(), sent = requests();
  std::this_thread::sleep_for(kTime);  // what is measured
  return {(controller.process().cpu_seconds() - cpu) / Seconds(kTime).count() * 100,
          requests() - sent};
}

// Memory at each size, for the plot.
struct AtSize {
  double count, resident, restarted;
};

AtSize scale(Report& report, const std::string& program, int count) {
  Plane plane;
  AtSize out{static_cast<double>(count), 0, 0};
  const std::string of = std::to_string(count) + " suspended: ";
  const bool most = count >= 10'000;
  const auto if_most = [&](double value) {
    return most ? std::optional(Goal{value}) : std::nullopt;
  };
  {
    const ControllerProcess controller(program, plane.kubeconfig());
    const double cpu = controller.process().cpu_seconds();
    create_miniclusters(plane, 0, count, {{"suspend", true}}, [](const json&) {});
    controller.until_idle(limit_for(count));
    report.add({of + "CPU of each, ms",
                (controller.process().cpu_seconds() - cpu) * 1e3 / count,
                {},
                Goal{2}});
    out.resident = controller.process().resident_mib();
    report.add({of + "resident, MiB", out.resident, {}, if_most(150)});
    const Idle rest = idle(controller);
    report.add({of + "idle, % of a core", rest.core_percent, {}, if_most(0.5)});
    report.add({of + "idle, requests", rest.requests, {}, {}});
    report.add(
        {of + "p99 from event to write, ms", p99_until_first_write_ms(plane, count), {}, Goal{50}});
    controller.until_idle(limit_for(count));  // the next one has nothing left to write
  }
  const ControllerProcess again(program, plane.kubeconfig());
  const double lists = lists_alone(plane.transport()).count();
  report.add({of + "restart, ready after s", again.ready_after().count(), lists, {}});
  report.add({of + "restart, longer than the lists, s",
              again.ready_after().count() - lists,
              {},
              if_most(3)});
  again.until_idle(limit_for(count));
  report.add({of + "restart, writes",
              again.metric("minicluster_objects_created_total") + again.requests("PATCH") +
                  again.requests("DELETE"),
              {},
              {}});
  report.add({of + "restart, CPU s", again.process().cpu_seconds(), {}, {}});
  out.restarted = again.process().peak_mib();
  report.add({of + "restart, peak resident, MiB", out.restarted, {}, if_most(150)});
  return out;
}

// The numbers of `create:200:3` after its name.
std::vector<int> numbers_of(const std::string& command) {
  std::vector<int> out;
  for (std::size_t at = command.find(':'); at != std::string::npos;
       at = command.find(':', at + 1)) {
    out.push_back(std::stoi(command.substr(at + 1)));
  }
  return out;
}

void plot_memory(const std::string& file, const std::vector<AtSize>& sizes) {
  Panel panel{.title = "Resident memory (MiB) over suspended MiniClusters",
              .x_ticks = {{0, "0"}},
              .y_ticks = {},
              .lines = {{"running", "#4878a8", {}}, {"restarted, peak", "#c4623a", {}}}};
  double most = 0;
  for (const AtSize& one : sizes) {
    panel.x_ticks.emplace_back(one.count, std::to_string(static_cast<int>(one.count)));
    panel.lines[0].points.emplace_back(one.count, one.resident);
    panel.lines[1].points.emplace_back(one.count, one.restarted);
    most = std::max({most, one.resident, one.restarted});
  }
  for (int y = 0; y <= most + 50; y += 50) {
    panel.y_ticks.emplace_back(y, std::to_string(y));
  }
  save(file, svg_of({panel}));
}

void run(const std::string& program, const std::string& folder,
         const std::vector<std::string>& commands) {
  Report report(std::cout);
  std::vector<AtSize> sizes;
  for (const std::string& command : commands) {
    const std::vector<int> numbers = numbers_of(command);
    if (command.starts_with("create:")) {
      create(report, program, numbers.at(0), numbers.at(1));
    } else if (command.starts_with("run:")) {
      run_pods(report, program, numbers.at(0), numbers.at(1), false);
    } else if (command.starts_with("limited:")) {
      run_pods(report, program, numbers.at(0), numbers.at(1), true);
    } else if (command.starts_with("scale:")) {
      sizes.push_back(scale(report, program, numbers.at(0)));
    } else {
      throw std::runtime_error("no command " + command);
    }
  }
  save(folder + "/controller.svg", report.svg());
  save(folder + "/controller.tsv", report.tsv());
  if (sizes.size() > 1) plot_memory(folder + "/memory.svg", sizes);
}

}  // namespace
}  // namespace mc::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: bench_fleet CONTROLLER FOLDER COMMAND...\n", stderr);
    return 2;
  }
  try {
    mc::bench::run(argv[1], argv[2], {argv + 3, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_fleet: %s\n", error.what());
    return 1;
  }
}
