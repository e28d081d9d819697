#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/scale/mix.h"
#include "bench/scale/side.h"
#include "bench/support/report.h"

// Usage: bench_scale CONTROLLER KUEUE COMMAND...
// Measures how fast those that wait start once there is room, each side on a new control plane.
// KUEUE is the folder that tests/kueue/build.sh printed. A COMMAND is
//   beside:COUNT  COUNT MiniClusters, and as many Workloads with Kueue
//   ours:COUNT    COUNT MiniClusters alone. After another one: beside the last.
namespace mc::bench {
namespace {

struct Row {
  const char* what;
  double Outcome::* member;
  std::optional<Goal> target;
};

constexpr Goal kHalf{0.5};

const Row kRows[] = {
    {"time from room to the last admission, s", &Outcome::until_last_admission, kHalf},
    {"controller: CPU from room to the end, s", &Outcome::cpu, kHalf},
    {"controller: CPU before, until all wait, s", &Outcome::cpu_waiting, {}},
    {"controller: peak resident, MiB", &Outcome::peak, kHalf},
    {"p99 of a decision, ms", &Outcome::decision_p99, {}},
    {"API writes from room to the end, for each", &Outcome::writes, {}},
    {"API writes before, until all wait, for each", &Outcome::writes_waiting, {}},
    {"API server: CPU from room to the end, s", &Outcome::api_server, {}},
    {"time until all wait, s", &Outcome::until_waiting, {}},
    {"etcd's database while all wait, MiB", &Outcome::etcd_waiting, {}},
    {"etcd's database at the end, MiB", &Outcome::etcd, {}},
};

void report_on(Report& report, const std::string& of, const Outcome& ours, const Outcome* kueue) {
  for (const Row& row : kRows) {
    const auto reference = kueue == nullptr ? std::nullopt : std::optional(kueue->*row.member);
    report.add(
        {of + row.what, ours.*row.member, reference, kueue == nullptr ? std::nullopt : row.target});
  }
}

// Of a member, beside the smaller run.
void report_growth(Report& report, const std::string& of, const Outcome& more, double count,
                   const Outcome& less, double smaller) {
  constexpr Goal kLinear{1.3};
  report.add({of + "time for each, ms", more.until_last_admission * 1e3 / count,
              less.until_last_admission * 1e3 / smaller, kLinear});
  report.add({of + "CPU for each, ms", more.cpu * 1e3 / count, less.cpu * 1e3 / smaller, kLinear});
  report.add({of + "peak resident for each, KiB", more.peak * 1024 / count,
              less.peak * 1024 / smaller, kLinear});
}

void run(const std::string& controller, const std::string& kueue,
         const std::vector<std::string>& commands) {
  Report report(std::cout);
  std::optional<Outcome> last;
  int last_count = 0;
  for (const std::string& command : commands) {
    const std::size_t colon = command.find(':');
    const std::string what = command.substr(0, colon);
    if (colon == std::string::npos || (what != "beside" && what != "ours")) {
      throw std::runtime_error("no command " + command);
    }
    const int count = std::stoi(command.substr(colon + 1));
    const std::vector<Member> members = mix(count);
    const std::string of = std::to_string(count) + ": ";
    const Outcome ours = measure_ours(controller, members);
    std::optional<Outcome> reference;
    if (what == "beside") reference = measure_kueue(kueue, members);
    report.add({of + "time if no CPU were ever idle, s", least_seconds(members), {}, {}});
    report_on(report, of, ours, reference ? &*reference : nullptr);
    if (reference) {
      report.add({of + "preempted, and admitted again",
                  static_cast<double>(ours.evictions),
                  static_cast<double>(reference->evictions),
                  {},
                  0.0});
    }
    if (last) report_growth(report, of, ours, count, *last, last_count);
    last = ours;
    last_count = count;
  }
}

}  // namespace
}  // namespace mc::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: bench_scale CONTROLLER KUEUE COMMAND...\n", stderr);
    return 2;
  }
  try {
    mc::bench::run(argv[1], argv[2], {argv + 3, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_scale: %s\n", error.what());
    return 1;
  }
}
