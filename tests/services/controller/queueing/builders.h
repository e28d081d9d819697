#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "services/controller/queueing/scheduler.h"
#include "services/controller/queueing/workload.h"

// MiniClusters in a few words. Times are seconds from an arbitrary begin.
namespace mc::controller::queueing::test {

inline Time at(std::int64_t seconds) { return Time(std::chrono::seconds(1'700'000'000 + seconds)); }

inline api::Amounts cpus(std::int64_t cpu) { return {{"cpu", api::Quantity(cpu)}}; }

inline api::Amounts cpus(std::int64_t cpu, std::int64_t memory) {
  return {{"cpu", api::Quantity(cpu)}, {"memory", api::Quantity(memory)}};
}

// `key` is namespace/name; it counts for at most `longest` seconds.
inline Waiting waiting(const std::string& key, api::Amounts demand,
                       std::optional<std::int64_t> longest = std::nullopt,
                       std::int64_t created = 0) {
  Waiting out;
  out.ns = key.substr(0, key.find('/'));
  out.name = key.substr(key.find('/') + 1);
  out.uid = "uid of " + key;
  out.created = at(created);
  out.demand = std::move(demand);
  if (longest) out.longest = std::chrono::seconds(*longest);
  return out;
}

inline Running running(const std::string& key, api::Amounts amounts,
                       std::optional<std::int64_t> end = std::nullopt) {
  Running out{key, key.substr(0, key.find('/')), std::move(amounts), {}};
  if (end) out.end = at(*end);
  return out;
}

// A MiniCluster with the Job `job` of `cpu` pods, each of one CPU. Nothing is asked or used yet.
inline Workload workload(std::int64_t cpu, const std::string& job = "job") {
  Workload out;
  out.job = job;
  out.size = cpu;
  out.pod = cpus(1);
  return out;
}

// Its Job is suspended, and asks to start.
inline Workload waiting_workload(std::int64_t cpu, const std::string& job = "job") {
  Workload out = workload(cpu, job);
  out.waits = true;
  out.held_back = cpus(cpu);
  out.start = {cpus(cpu), cpu};
  return out;
}

// One whose Job waits and needs `cpu`.
inline Workload waits(std::int64_t cpu, std::int64_t created = 0) {
  Workload out = waiting_workload(cpu);
  out.created = at(created);
  return out;
}

inline Policy limit(std::int64_t cpu, Strategy strategy = Strategy::BestEffortFIFO) {
  Policy out;
  out.setup = "site";
  out.limits.strategy = strategy;
  out.limits.hard = cpus(cpu);
  return out;
}

inline Workload running_workload(std::int64_t cpu, const std::string& job = "job") {
  Workload out = workload(cpu, job);
  out.runs = true;
  out.used = cpus(cpu);
  return out;
}

// The same numbers everywhere, unlike the standard's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // From 0 to `count` - 1.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(count));
  }
  // Both included.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + below(most - least + 1);
  }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mc::controller::queueing::test
