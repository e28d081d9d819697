#include <benchmark/benchmark.h>

#include "bench/parts/parts.h"

// The pure parts: CPU time of one call, and how it grows with the size of its input (BigO).
namespace {

void measure(benchmark::State& state, const mc::bench::Part& part) {
  const std::int64_t size = part.sizes.empty() ? 0 : state.range(0);
  const mc::bench::Call call = part.prepare(size);
  for (auto _ : state) call.run();
  state.SetComplexityN(size);
  if (call.bytes != 0) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(call.bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const mc::bench::Part& part : mc::bench::parts()) {
    auto* const one = benchmark::RegisterBenchmark(
        part.name, [&part](benchmark::State& state) { measure(state, part); });
    for (const std::int64_t size : part.sizes) one->Arg(size);
    if (!part.sizes.empty()) one->Complexity();
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
