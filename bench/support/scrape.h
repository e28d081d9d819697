#pragma once
#include <map>
#include <string>
#include <utility>

#include "common/kube/transport.h"

namespace mc::bench {

// A scrape of a program's metrics, in the text format of Prometheus.
class Scrape {
 public:
  explicit Scrape(std::string text) : text_(std::move(text)) {}

  // The sum of the series of a family whose labels contain `label`.
  double sum(const std::string& family, const std::string& label = "") const;
  // The cumulative counts of a histogram by upper bound, summed over its series.
  std::map<double, double> buckets(const std::string& family) const;

 private:
  std::string text_;
};

// GET /metrics. Throws if that fails.
Scrape scrape(kube::Transport& transport);

// The creates, updates, patches and deletes that an API server has answered.
double api_writes(const Scrape& of_api_server);

// The value that `share` of what a histogram observed between two scrapes do not exceed, as
// PromQL's histogram_quantile() estimates it: linear within a bucket. 0 if it observed nothing.
double histogram_quantile(const Scrape& before, const Scrape& after, const std::string& family,
                          double share);

}  // namespace mc::bench
