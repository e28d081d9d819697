#pragma once
#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

// The contents of /metrics. Families that controller-runtime has keep its names, labels and
// buckets, so that its dashboards and alerts work; our own are called minicluster_*. Thread safe.
namespace mc::observe {

// Handles of one time series each; cheap to copy, valid as long as their Registry.
class Counter {
 public:
  void add(double by = 1);

 private:
  friend class Registry;
  explicit Counter(prometheus::Counter& series) : series_(&series) {}
  prometheus::Counter* series_;
};

class Gauge {
 public:
  void set(double value);
  void add(double by);

 private:
  friend class Registry;
  explicit Gauge(prometheus::Gauge& series) : series_(&series) {}
  prometheus::Gauge* series_;
};

class Histogram {
 public:
  void observe(double value);

 private:
  friend class Registry;
  explicit Histogram(prometheus::Histogram& series) : series_(&series) {}
  prometheus::Histogram* series_;
};

enum class MetricType { Counter, Gauge, Histogram };

// The description of a family; docs/metrics.md is generated from these.
struct Family {
  std::string name;
  MetricType type = MetricType::Gauge;
  std::string help;                 // a sentence with the unit
  std::vector<std::string> labels;  // label names
};

// One series of a family whose values are computed at each scrape.
struct Sample {
  std::vector<std::string> label_values;  // as many as the family has labels
  double value = 0;
};

// Bounds that client-go and controller-runtime use for durations of any length: twelve powers of
// ten from 1e-8.
inline constexpr std::array kWideBuckets = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4,  1e-3,
                                            1e-2, 1e-1, 1.0,  10.0, 100.0, 1000.0};

using Labels = std::initializer_list<std::pair<const std::string, std::string>>;

// Owns every series; has process_* (CPU, memory, files, start) and
// minicluster_operator_build_info{component,version} from the start.
class Registry {
 public:
  explicit Registry(std::string_view component);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // The series of that name and labels; created with value 0 on first use. `help` counts only at
  // the first call for a name.
  Counter counter(const std::string& name, const std::string& help, Labels labels = {});
  Gauge gauge(const std::string& name, const std::string& help, Labels labels = {});
  Histogram histogram(const std::string& name, const std::string& help,
                      std::span<const double> buckets, Labels labels = {});

  // Series that are computed at each scrape; those that `samples` leaves out are gone. May be
  // called many times for one family. Whatever `samples` uses must outlive the last text().
  void collect(const Family& family, std::function<std::vector<Sample>()> samples);

  // All series in the Prometheus text format (version 0.0.4).
  std::string text() const;

  // Every family, by name, including those that have no series now.
  std::vector<Family> families() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mc::observe
