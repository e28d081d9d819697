#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "bench/parts/objects.h"
#include "common/api/defaults.h"
#include "common/api/examine.h"
#include "common/flux/curve.h"
#include "common/flux/hostlist.h"
#include "common/kube/watcher.h"
#include "common/render/render.h"
#include "services/controller/cache/job_pods.h"
#include "services/controller/cache/reduce.h"
#include "services/controller/reconcile/job_record.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/status.h"

// The pure parts: CPU time of one call, and how it grows with the size of its input (BigO). What a
// part is compared with has the same argument: a watch line with the parse of its JSON alone.
namespace mc::bench {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

void examine(State& state) {
  const json object = minicluster(state.range(0));
  for (auto _ : state) DoNotOptimize(api::examine(object));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(examine)->RangeMultiplier(8)->Range(8, 4096)->Complexity();

void defaults(State& state) {
  const json object = minicluster(state.range(0));
  for (auto _ : state) DoNotOptimize(api::with_defaults(object));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(defaults)->RangeMultiplier(8)->Range(8, 4096)->Complexity();

void render(State& state) {
  const api::Examination examination = api::examine(minicluster(state.range(0)));
  for (auto _ : state) DoNotOptimize(mc::render::render(examination.cluster, ""));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(render)->RangeMultiplier(8)->Range(8, 4096)->Complexity();

// Of a MiniCluster that runs, by the number of its pods.
void reconcile(State& state) {
  const controller::Observed seen = running(state.range(0));
  const auto now = std::chrono::system_clock::from_time_t(1767225600);
  for (auto _ : state) {
    const auto examination = controller::examine(seen, api::FieldValidation::Strict);
    const auto change = controller::job_change(seen, examination);
    DoNotOptimize(controller::plan(seen, examination, change, now, [] { return std::string(); }));
    DoNotOptimize(controller::status(seen, examination, {}, "2026-01-01T00:00:00Z"));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(reconcile)->RangeMultiplier(8)->Range(8, 4096)->Complexity();

void plan(State& state) {
  const controller::Observed seen = running(8);
  const auto examination = controller::examine(seen, api::FieldValidation::Strict);
  const auto change = controller::job_change(seen, examination);
  const auto now = std::chrono::system_clock::from_time_t(1767225600);
  for (auto _ : state) {
    DoNotOptimize(controller::plan(seen, examination, change, now, [] { return std::string(); }));
  }
}
BENCHMARK(plan);

// One pod's event, by the number of pods of the Job.
void pod_event(State& state) {
  controller::JobPods all;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    all.update({nullptr, std::make_shared<const json>(controller::reduce_pod(running_pod(i)))});
  }
  const auto pod = std::make_shared<const json>(controller::reduce_pod(running_pod(5)));
  for (auto _ : state) all.update({pod, pod});
  state.SetComplexityN(state.range(0));
}
BENCHMARK(pod_event)->RangeMultiplier(8)->Range(8, 4096)->Complexity();

void certificate(State& state) {
  for (auto _ : state) {
    DoNotOptimize(flux::curve_certificate(flux::generate_curve_keys(), "sample"));
  }
}
BENCHMARK(certificate);

void hostlist(State& state) {
  const std::string text = "host[0-" + std::to_string(state.range(0) - 1) + "]";
  for (auto _ : state) DoNotOptimize(flux::expand_hostlist(text, flux::kMaxHosts));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(hostlist)->RangeMultiplier(10)->Range(100, 100'000)->Complexity();

std::string watch_line_of_a_pod() {
  return json({{"type", "MODIFIED"}, {"object", running_pod(5)}}).dump();
}

void watch_line(State& state) {
  kube::Watcher watcher({.resource = kube::kPods, .reduce = controller::reduce_pod});
  const std::string line = watch_line_of_a_pod();
  for (auto _ : state) DoNotOptimize(watcher.line(line));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(line.size()));
}
BENCHMARK(watch_line);

void watch_line_parsed_alone(State& state) {
  const std::string line = watch_line_of_a_pod();
  for (auto _ : state) DoNotOptimize(json::parse(line));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(line.size()));
}
BENCHMARK(watch_line_parsed_alone);

}  // namespace
}  // namespace mc::bench

BENCHMARK_MAIN();
