#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mc::bench {

inline constexpr int kConnections = 8;

struct Outcome {
  std::size_t requests = 0;
  double seconds = 0;
  std::vector<double> latencies;  // seconds, sorted
};

// Each of kConnections sends the next request when it has the answer to the last one.
Outcome back_to_back(int port, const std::string& request, double seconds);

// `rate` requests a second, on kConnections. The latency is counted from when a request was due, so
// that one slow answer counts for all that had to wait behind it.
Outcome at_rate(int port, const std::string& request, double rate, double seconds);

}  // namespace mc::bench
