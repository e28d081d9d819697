#pragma once
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

// The load of a parallel computer of 128 nodes, after Lublin and Feitelson, "The Workload on
// Parallel Supercomputers: Modeling the Characteristics of Rigid Jobs", J. Parallel Distrib.
// Comput. 63 (2003), with the paper's parameters for all jobs together. The same for a seed on any
// standard library.
namespace mc::bench {

inline constexpr int kNodes = 128;
inline constexpr std::chrono::seconds kWeek = std::chrono::days(7);

struct LublinJob {
  std::chrono::seconds arrival;  // since the begin, a midnight
  std::chrono::seconds runtime;
  std::chrono::seconds deadline;  // what the user asks for: 1 to 10 times the runtime
  int nodes;
};

class Lublin {
 public:
  explicit Lublin(std::uint64_t seed) : engine_(seed) {}

  // Jobs that arrive within a week and need `load` times what the nodes can do in that time, by
  // arrival. The model's own load is that of its sites; here only the time between arrivals is
  // scaled.
  std::vector<LublinJob> week(double load);

  // `count` jobs that arrive at once.
  std::vector<LublinJob> crowd(int count);

 private:
  double uniform();  // in [0, 1)
  double uniform(double low, double high) { return low + uniform() * (high - low); }
  double normal();
  double gamma(double shape, double scale);  // shape >= 1
  double gap();  // seconds between two arrivals at a mean time of the day
  LublinJob job();

  std::mt19937_64 engine_;
};

}  // namespace mc::bench
