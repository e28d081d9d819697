#include "bench/webhook/load.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include "bench/webhook/connection.h"

namespace mc::bench {
namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Runs `work(index, connection)`, which returns latencies, on each connection at the same time.
template <class Work>
Outcome on_each_connection(int port, const Work& work) {
  std::vector<std::unique_ptr<Connection>> connections;
  connections.reserve(kConnections);
  for (int i = 0; i < kConnections; ++i) {
    connections.push_back(std::make_unique<Connection>(port));
  }
  std::vector<std::vector<double>> latencies(kConnections);
  std::vector<std::exception_ptr> errors(kConnections);
  const auto begin = steady_clock::now();
  {
    std::vector<std::jthread> threads;
    threads.reserve(kConnections);
    for (std::size_t i = 0; i < kConnections; ++i) {
      threads.emplace_back([&, i] {
        try {
          latencies[i] = work(i, *connections[i]);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  Outcome out;
  out.seconds = Seconds(steady_clock::now() - begin).count();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  for (const auto& some : latencies) {
    out.latencies.insert(out.latencies.end(), some.begin(), some.end());
  }
  out.requests = out.latencies.size();
  std::ranges::sort(out.latencies);
  return out;
}

}  // namespace

Outcome back_to_back(int port, const std::string& request, double seconds) {
  const auto end = steady_clock::now() + Seconds(seconds);
  return on_each_connection(port, [&](std::size_t /*index*/, Connection& connection) {
    std::vector<double> latencies;
    for (auto begin = steady_clock::now(); begin < end;) {
      connection.exchange(request);
      const auto now = steady_clock::now();
      latencies.push_back(Seconds(now - begin).count());
      begin = now;
    }
    return latencies;
  });
}

Outcome at_rate(int port, const std::string& request, double rate, double seconds) {
  const Seconds apart(kConnections / rate);
  const auto begin = steady_clock::now();
  const auto count = static_cast<std::size_t>(seconds / apart.count());
  return on_each_connection(port, [&](std::size_t index, Connection& connection) {
    std::vector<double> latencies;
    for (std::size_t i = 0; i < count; ++i) {
      // The connections take turns.
      const auto due =
          begin + apart * (static_cast<double>(i) + static_cast<double>(index) / kConnections);
      std::this_thread::sleep_until(due);
      connection.exchange(request);
      latencies.push_back(Seconds(steady_clock::now() - due).count());
    }
    return latencies;
  });
}

}  // namespace mc::bench
