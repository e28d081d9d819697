#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/queue/estimates.h"
#include "bench/queue/fairness.h"
#include "bench/queue/gantt.h"
#include "bench/queue/lublin.h"
#include "bench/queue/swf.h"
#include "bench/support/plot.h"
#include "services/controller/queueing/queue.h"
#include "tests/services/controller/queueing/simulation.h"

// Compares the three strategies in simulated time; see kUsage.
namespace mc::bench {
namespace {

using controller::Time;
using controller::queueing::FairSharePolicy;
using controller::queueing::Limits;
using controller::queueing::Policy;
using controller::queueing::Queue;
using controller::queueing::Strategy;
using controller::queueing::Waiting;
using controller::queueing::Workload;
using controller::queueing::test::Arrival;
using controller::queueing::test::Moment;
using controller::queueing::test::simulate;
using controller::queueing::test::Site;
using std::chrono::seconds;

constexpr const char* kUsage =
    "Usage: bench_queue [SEED [LOAD [PLOT [DAY]]]] | bench_queue --trace FILE\n"
    "Simulates a week of an HPC load (Lublin and Feitelson 2003) on 128 nodes with each queueing\n"
    "strategy, and prints Markdown tables: how the nodes are used and how long the MiniClusters\n"
    "wait, what fair share changes if namespaces ask for different amounts, and what 10,000 that\n"
    "wait cost. SEED (1) gives the load, LOAD (0.9) says how many times what the nodes can do is\n"
    "demanded, PLOT is an SVG to write, DAY another one: the queue over the fourth day. Then it\n"
    "prints how far the estimated and the promised starts were from the real ones; with --trace\n"
    "only this, of a trace in the Standard Workload Format.\n";

constexpr int kCpusPerNode = 64;
constexpr int kCrowd = 10'000;
constexpr int kNamespaces = 16;
constexpr std::chrono::seconds kHalfLife = std::chrono::days(7);
const Time kBegin{seconds(1'700'000'000)};

struct Named {
  Strategy strategy;
  const char* name;
  const char* color;
};
constexpr Named kStrategies[] = {{Strategy::StrictFIFO, "StrictFIFO", "#888888"},
                                 {Strategy::BestEffortFIFO, "BestEffortFIFO", "#e08214"},
                                 {Strategy::EASYBackfill, "EASYBackfill", "#2166ac"}};

Limits limits_of(Strategy strategy) {
  return {strategy,
          {{"pods", api::Quantity(kNodes)},
           {"cpu", api::Quantity(std::int64_t{kNodes} * kCpusPerNode)}},
          {}};
}

Arrival job_of(const LublinJob& job, std::size_t number) {
  Arrival out;
  out.waiting.ns = "users-" + std::to_string(number % kNamespaces);
  out.waiting.name = "minicluster-" + std::to_string(number);
  out.waiting.uid = "00000000-0000-4000-8000-" + std::to_string(100'000'000'000 + number);
  out.waiting.created = kBegin + job.arrival;
  out.waiting.demand = {{"pods", api::Quantity(job.nodes)},
                        {"cpu", api::Quantity(std::int64_t{job.nodes} * kCpusPerNode)}};
  out.waiting.longest = job.deadline + seconds(30);
  out.runtime = job.runtime;
  return out;
}

std::vector<Arrival> jobs_of(const std::vector<LublinJob>& load) {
  std::vector<Arrival> jobs;
  jobs.reserve(load.size());
  for (const LublinJob& job : load) jobs.push_back(job_of(job, jobs.size()));
  return jobs;
}

// What a strategy made of a load.
struct Outcome {
  std::vector<double> waits;        // seconds, sorted
  std::vector<double> utilisation;  // of each hour of the week
  double mean_utilisation = 0, mean_wait = 0, slowdown = 0;
  double last_end = 0;  // seconds since the begin
  std::size_t most_waiting = 0;
};

// Adds the hours of the week in which a job ran.
void use(std::vector<double>& hours, double start, double end, int nodes) {
  for (auto hour = static_cast<std::size_t>(start / 3600); hour < hours.size(); ++hour) {
    const double begin = static_cast<double>(hour) * 3600;
    if (begin >= end) return;
    hours[hour] +=
        (std::min(end, begin + 3600) - std::max(start, begin)) / 3600 * nodes / double{kNodes};
  }
}

Outcome outcome_of(Strategy strategy, const std::vector<LublinJob>& load) {
  Outcome out;
  const std::vector<Time> starts =
      simulate(limits_of(strategy), jobs_of(load), [&](const Moment& moment) {
        out.most_waiting = std::max(out.most_waiting, moment.site.pending.size());
      });
  out.utilisation.resize(static_cast<std::size_t>(kWeek / std::chrono::hours(1)));
  for (std::size_t i = 0; i < load.size(); ++i) {
    const auto start = static_cast<double>((starts[i] - kBegin).count());
    const auto runtime = static_cast<double>(load[i].runtime.count());
    const double wait = start - static_cast<double>(load[i].arrival.count());
    use(out.utilisation, start, start + runtime, load[i].nodes);
    out.last_end = std::max(out.last_end, start + runtime);
    out.waits.push_back(wait);
    out.mean_wait += wait / static_cast<double>(load.size());
    out.slowdown += std::max(1.0, (wait + runtime) / std::max(runtime, 10.0)) /
                    static_cast<double>(load.size());
  }
  for (const double hour : out.utilisation) {
    out.mean_utilisation += hour / static_cast<double>(out.utilisation.size());
  }
  std::ranges::sort(out.waits);
  return out;
}

std::string fixed(double value, int digits) {
  std::string text(32, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text;
}

std::string duration(double time) {
  if (time < 90) return fixed(time, 0) + " s";
  if (time < 5400) return fixed(time / 60, 0) + " min";
  return fixed(time / 3600, 1) + " h";
}

Line cumulated(const Named& named, const std::vector<double>& waits) {
  Line line{named.name, named.color, {}};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    line.points.emplace_back(
        std::log10(std::max(1.0, waits[i])),
        100.0 * static_cast<double>(i + 1) / static_cast<double>(waits.size()));
  }
  return line;
}

Line hourly(const Named& named, const std::vector<double>& utilisation) {
  Line line{named.name, named.color, {}};
  for (std::size_t hour = 0; hour < utilisation.size(); ++hour) {
    line.points.emplace_back(static_cast<double>(hour) + 0.5, 100 * utilisation[hour]);
  }
  return line;
}

void compare(std::uint64_t seed, double load, const std::string& plot) {
  const std::vector<LublinJob> jobs = Lublin(seed).week(load);
  Panel used{"nodes in use, %, by hour",
             {},
             {{0, "0"}, {25, "25"}, {50, "50"}, {75, "75"}, {100, "100"}},
             {}};
  for (int day = 0; day <= 7; ++day)
    used.x_ticks.emplace_back(24 * day, "day " + std::to_string(day));
  Panel waited{"MiniClusters that waited at most so long, %",
               {{0, "1 s"},
                {1, "10 s"},
                {std::log10(60), "1 min"},
                {std::log10(600), "10 min"},
                {std::log10(3600), "1 h"},
                {std::log10(36000), "10 h"},
                {std::log10(604800), "7 d"}},
               used.y_ticks,
               {}};
  std::cout << "A week of " << jobs.size() << " MiniClusters on " << kNodes << " nodes, load "
            << fixed(load, 2) << ", seed " << seed << ":\n\n"
            << "| Strategy | Nodes in use | All done after | Mean wait | p95 wait | Longest wait | "
               "Mean bounded slowdown | Most waiting |\n"
            << "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Named& named : kStrategies) {
    const Outcome out = outcome_of(named.strategy, jobs);
    std::cout << "| `" << named.name << "` | " << fixed(100 * out.mean_utilisation, 1) << " % | "
              << fixed(out.last_end / 86400, 1) << " days | " << duration(out.mean_wait) << " | "
              << duration(out.waits[out.waits.size() * 95 / 100]) << " | "
              << duration(out.waits.back()) << " | " << fixed(out.slowdown, 1) << " | "
              << out.most_waiting << " |\n";
    used.lines.push_back(hourly(named, out.utilisation));
    waited.lines.push_back(cumulated(named, out.waits));
  }
  if (!plot.empty()) save(plot, svg_of({used, waited}));
}

// CPU time since the last call, in microseconds for each of `count`.
double lap(std::clock_t& since, int count) {
  const std::clock_t now = std::clock();
  const double taken = static_cast<double>(now - since) / CLOCKS_PER_SEC * 1e6 / count;
  since = now;
  return taken;
}

// What it costs that kCrowd wait.
void measure(const Named& named, std::uint64_t seed) {
  const std::vector<Arrival> jobs = jobs_of(Lublin(seed).crowd(kCrowd + 1000));
  Site site{limits_of(named.strategy)};
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < kCrowd; ++i) site.pending.insert(jobs[static_cast<std::size_t>(i)].waiting);
  const double memory = static_cast<double>(::mallinfo2().uordblks - before) / 1024;
  std::vector<Waiting> running = site.decide(kBegin);

  std::clock_t since = std::clock();
  for (std::size_t i = kCrowd; i < jobs.size(); ++i) {
    site.pending.insert(jobs[i].waiting);
    const std::vector<Waiting> started = site.decide(kBegin);
    running.insert(running.end(), started.begin(), started.end());
  }
  const double arrival = lap(since, 1000);
  for (int i = 0; i < 200; ++i) {
    site.usage.remove(running[static_cast<std::size_t>(i)].key());
    const std::vector<Waiting> started = site.decide(kBegin + seconds(i));
    running.insert(running.end(), started.begin(), started.end());
  }
  const double end = lap(since, 200);
  std::cout << "| `" << named.name << "` | " << fixed(arrival, 0) << " µs | " << fixed(end, 0)
            << " µs | " << fixed(memory / 1024, 1) << " MiB |\n";
}

// Of each job at random: the first namespace has 1 of x, the second 1/2^1.5 of that, the third
// 1/3^1.5 and so on (Zipf), so that one floods the queue.
void give_to_unequal_users(std::vector<Arrival>& jobs, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> up_to;
  double sum = 0;
  for (int i = 1; i <= kNamespaces; ++i) up_to.push_back(sum += std::pow(i, -1.5));
  for (Arrival& job : jobs) {
    const double pick = static_cast<double>(engine() >> 11) * 0x1p-53 * sum;
    const auto ns = std::ranges::lower_bound(up_to, pick) - up_to.begin();
    job.waiting.ns = "users-" + std::to_string(ns);
  }
}

void compare_fairness(std::uint64_t seed, double load) {
  std::vector<Arrival> jobs = jobs_of(Lublin(seed).week(load));
  give_to_unequal_users(jobs, seed);
  std::cout
      << "\nThe same MiniClusters of " << kNamespaces
      << " unequal namespaces, half-life 7 days:\n\n"
      << "| Strategy | Fair share | Jain's index | Mean bounded slowdown | of the lighter half "
         "| p95 wait of the lighter half | Longest wait |\n"
      << "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Named& named : kStrategies) {
    for (const bool is_on : {false, true}) {
      std::optional<FairSharePolicy> policy;
      if (is_on) policy.emplace(kHalfLife);
      const std::vector<Time> starts = simulate(limits_of(named.strategy), jobs, nullptr, policy);
      const Fairness out = fairness_of(jobs, starts, kBegin);
      std::cout << "| `" << named.name << "` | " << (is_on ? "on" : "off") << " | "
                << fixed(out.jain, 3) << " | " << fixed(out.slowdown, 1) << " | "
                << fixed(out.light_slowdown, 1) << " | " << duration(out.light_p95_wait) << " | "
                << duration(out.longest_wait) << " |\n";
    }
  }
}

// Another order of kCrowd that wait, once a minute, in milliseconds of CPU time.
void measure_order(std::uint64_t seed) {
  std::vector<Arrival> jobs = jobs_of(Lublin(seed).crowd(kCrowd));
  give_to_unequal_users(jobs, seed);
  Queue queue;
  Policy policy;
  policy.limits = limits_of(Strategy::StrictFIFO);
  policy.fair_share = FairSharePolicy{kHalfLife};
  queue.set_policy(policy, {}, "");
  for (const Arrival& job : jobs) {
    Workload waits;
    waits.waits = true;
    waits.job = job.waiting.uid;
    waits.created = job.waiting.created;
    waits.start = {job.waiting.demand, 1};
    queue.set(job.waiting.key(), waits, kBegin);
  }
  queue.written(queue.decide(kBegin), kBegin);
  constexpr int kTimes = 100;
  std::clock_t since = std::clock();
  for (int i = 1; i <= kTimes; ++i) queue.decide(kBegin + std::chrono::minutes(i));
  std::cout << "\nAnother order by fair share, once a minute: "
            << fixed(lap(since, kTimes) / 1000, 1) << " ms.\n";
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

// The starts that were told, with EASYBackfill.
void print_told_starts(const Limits& limits, const std::vector<Arrival>& jobs) {
  const auto row = [&](const char* name, const ToldStarts& told) {
    std::cout << "| " << name << " | " << told.count << " | " << fixed(100 * told.held, 1)
              << " % | " << duration(told.median_miss) << " | " << duration(told.p90_late) << " | "
              << duration(told.p90_early) << " |\n";
  };
  std::cout << "\nStarts that were told, of " << jobs.size()
            << " MiniClusters:\n\n| Told | MiniClusters | Started then or earlier | Median miss | "
               "p90 later | p90 earlier |\n| --- | --- | --- | --- | --- | --- |\n";
  row("promised", promised_starts(limits, jobs));
  row("estimated, by deadlines", estimated_starts(limits, jobs, false));
  row("estimated, by what runs took", estimated_starts(limits, jobs, true));
}

int replay(const std::string& path) {
  const auto trace = read_swf(path);
  if (!trace) {
    std::cerr << "error: " << trace.error().message << "\n";
    return 1;
  }
  const Limits limits{Strategy::EASYBackfill, {{"pods", api::Quantity(trace->processors)}}, {}};
  print_told_starts(limits, trace->jobs);
  return 0;
}

int run(const std::vector<std::string_view>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--trace") return replay(std::string(arguments[1]));
  std::uint64_t seed = 1;
  double load = 0.9;
  if (arguments.size() > 4 || (!arguments.empty() && !read_number(arguments[0], seed)) ||
      (arguments.size() > 1 && (!read_number(arguments[1], load) || load <= 0 || load > 10))) {
    std::cerr << kUsage;
    return 2;
  }
  compare(seed, load, arguments.size() > 2 ? std::string(arguments[2]) : "");
  compare_fairness(seed, load);
  std::cout << "\n"
            << kCrowd << " that wait:\n\n| Strategy | Arrival and decision | End and decision "
            << "| Memory |\n| --- | --- | --- | --- |\n";
  for (const Named& named : kStrategies) measure(named, seed);
  measure_order(seed);
  const std::vector<Arrival> week = jobs_of(Lublin(seed).week(load));
  const Limits easy = limits_of(Strategy::EASYBackfill);
  print_told_starts(easy, week);
  if (arguments.size() > 3) {
    save(std::string(arguments[3]), gantt_of(easy, week, kBegin + std::chrono::days(3)));
  }
  return 0;
}

}  // namespace
}  // namespace mc::bench

int main(int argc, char** argv) {
  return mc::bench::run(std::vector<std::string_view>(argv + 1, argv + argc));
}
