#include "bench/queue/lublin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace mc::bench {
namespace {

// The paper's parameters.
constexpr double kSerial = 0.244, kPowerOf2 = 0.576;                  // shares of the jobs
constexpr double kLog2Least = 0.8, kLog2Middle = 4.5, kLog2Most = 7;  // two-stage uniform
constexpr double kFirstStage = 0.86;
constexpr double kShape1 = 4.2, kScale1 = 0.94, kShape2 = 312, kScale2 = 0.03;  // of log(runtime)
constexpr double kSlope = -0.0054, kOffset = 0.78;  // share of the first gamma, by nodes
constexpr double kGapShape = 10.2303 * 1.0225, kGapScale = 0.4871;  // of log(gap)
constexpr double kDayShape = 8.1737, kDayScale = 3.9631;            // arrivals over the day
constexpr double kMostLogRuntime = 12, kMostLogGap = 13;

constexpr int kSlots = 48;  // of half an hour
constexpr double kSlotSeconds = 1800;
constexpr int kFirstSlot = 11;  // where the paper's day begins

// How many times more arrive in each half hour of the day than on average.
std::array<double, kSlots> daily_cycle() {
  std::array<double, kSlots> weights{};
  double sum = 0;
  for (int slot = kFirstSlot; slot < kFirstSlot + kSlots; ++slot) {
    constexpr int kSteps = 20;
    double weight = 0;
    for (int step = 0; step < kSteps; ++step) {
      const double x = slot - 0.5 + (step + 0.5) / kSteps;
      weight += std::exp((kDayShape - 1) * std::log(x) - x / kDayScale);
    }
    weights[static_cast<std::size_t>((slot - 1) % kSlots)] = weight;
    sum += weight;
  }
  for (double& weight : weights) weight *= kSlots / sum;
  return weights;
}

std::chrono::seconds rounded_up(double time, double to) {
  return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(time / to) * to));
}

}  // namespace

std::vector<LublinJob> Lublin::week(double load) {
  const double wanted = load * kNodes * static_cast<double>(kWeek.count());
  std::vector<LublinJob> jobs;
  std::vector<double> times;
  double now = 0;
  for (double work = 0; work < wanted;) {
    now += gap();
    times.push_back(now);
    jobs.push_back(job());
    work += jobs.back().nodes * static_cast<double>(jobs.back().runtime.count());
  }
  // Arrivals at the mean rate, scaled to fill a week; then the clock that runs faster by day.
  const double scale = static_cast<double>(kWeek.count()) / (now + gap());
  const std::array<double, kSlots> weights = daily_cycle();
  double passed = 0, clock = 0;
  std::size_t slot = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double at = times[i] * scale;
    while (at - passed > weights[slot % kSlots] * kSlotSeconds) {
      passed += weights[slot % kSlots] * kSlotSeconds;
      clock += kSlotSeconds;
      ++slot;
    }
    const double arrival = clock + (at - passed) / weights[slot % kSlots];
    jobs[i].arrival = std::chrono::seconds(static_cast<std::int64_t>(arrival));
  }
  return jobs;
}

std::vector<LublinJob> Lublin::crowd(int count) {
  std::vector<LublinJob> jobs;
  jobs.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) jobs.push_back(job());
  return jobs;
}

double Lublin::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

// Box and Muller.
double Lublin::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", 2000.
double Lublin::gamma(double shape, double scale) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(1 - uniform()) < x * x / 2 + d - d * v + d * std::log(v)) {
      return d * v * scale;
    }
  }
}

double Lublin::gap() {
  double log_gap = gamma(kGapShape, kGapScale);
  while (log_gap > kMostLogGap) log_gap = gamma(kGapShape, kGapScale);
  return std::exp(log_gap);
}

LublinJob Lublin::job() {
  LublinJob job{};
  job.nodes = 1;
  const double kind = uniform();
  if (kind > kSerial) {
    double log2 = uniform() < kFirstStage ? uniform(kLog2Least, kLog2Middle)
                                          : uniform(kLog2Middle, kLog2Most);
    if (kind <= kSerial + kPowerOf2) log2 = std::round(log2);
    job.nodes = static_cast<int>(std::round(std::exp2(log2)));
  }
  const double first = std::clamp(kSlope * job.nodes + kOffset, 0.0, 1.0);
  double log_runtime = kMostLogRuntime + 1;
  while (log_runtime > kMostLogRuntime) {
    log_runtime = uniform() < first ? gamma(kShape1, kScale1) : gamma(kShape2, kScale2);
  }
  const double runtime = std::exp(log_runtime);
  job.runtime = rounded_up(runtime, 1);
  job.deadline = rounded_up(static_cast<double>(job.runtime.count()) / uniform(0.1, 1), 60);
  return job;
}

}  // namespace mc::bench
