#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mc::bench {

// A call to measure, with its input prepared.
struct Call {
  std::function<void()> run;
  std::size_t bytes = 0;  // of input, for parts whose throughput matters
};

// A pure part of the operator.
struct Part {
  const char* name;
  std::vector<std::int64_t> sizes;  // of the input; empty: it has one size
  std::function<Call(std::int64_t size)> prepare;
};

std::span<const Part> parts();

}  // namespace mc::bench
