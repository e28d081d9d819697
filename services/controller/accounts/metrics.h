#pragma once
#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/api/model/accounts.h"
#include "common/api/model/quantity.h"
#include "common/base/guarded.h"
#include "common/observe/metrics.h"

namespace mc::controller::accounts {

// What runs used, since this process leads. Unlike the ConfigMaps, nobody in a namespace can change
// it. Thread-safe.
class UseMetrics {
 public:
  // The registry must outlive this object, and this object its last text().
  explicit UseMetrics(observe::Registry& registry);
  UseMetrics(const UseMetrics&) = delete;
  UseMetrics& operator=(const UseMetrics&) = delete;

  // A run in this namespace has begun, whose pods request this. Its series begin with 0, so that
  // the increase by the first run is seen.
  void begin(const std::string& ns, const api::Amounts& requests);
  // A run has ended.
  void add(const std::string& ns, const api::RunRecord& run);
  // Runs that will have no record.
  void drop(std::size_t runs) { dropped_.add(static_cast<double>(runs)); }
  void failed() { errors_.add(); }
  void lead() { leads_ = true; }

 private:
  struct Sums {
    std::map<std::string, double> pod_seconds;                               // by namespace
    std::map<std::pair<std::string, std::string>, double> resource_seconds;  // and resource
  };

  static double& of_namespace(Sums& sums, const std::string& ns);
  static double* of_resource(Sums& sums, const std::string& ns, const std::string& resource);
  std::vector<observe::Sample> pod_seconds() const;
  std::vector<observe::Sample> resource_seconds() const;

  Guarded<Sums> sums_;
  std::atomic<bool> leads_ = false;
  std::vector<observe::Histogram> wait_;  // one for each class of sizes; constant
  observe::Counter dropped_, errors_;
};

}  // namespace mc::controller::accounts
