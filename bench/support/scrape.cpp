#include "bench/support/scrape.h"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace mc::bench {
namespace {

template <class Take>
void for_each_of(const std::string& text, const std::string& family, const Take& take) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find_first_of("{ ");
    if (end == std::string::npos || line.compare(0, end, family) != 0) continue;
    const std::size_t value = line.rfind(' ');
    take(line.substr(end, value - end), std::stod(line.substr(value)));
  }
}

}  // namespace

double Scrape::sum(const std::string& family, const std::string& label) const {
  double sum = 0;
  for_each_of(text_, family, [&](const std::string& labels, double value) {
    if (labels.contains(label)) sum += value;
  });
  return sum;
}

std::map<double, double> Scrape::buckets(const std::string& family) const {
  constexpr std::string_view kBound = "le=\"";  // as a whole name: not that of a role
  std::map<double, double> out;
  for_each_of(text_, family + "_bucket", [&](const std::string& labels, double value) {
    std::size_t at = labels.find(kBound);
    while (at != std::string::npos && labels[at - 1] != '{' && labels[at - 1] != ',') {
      at = labels.find(kBound, at + 1);
    }
    if (at == std::string::npos) return;
    out[std::stod(labels.substr(at + kBound.size()))] += value;  // "+Inf" is a number
  });
  return out;
}

Scrape scrape(kube::Transport& transport) {
  const kube::Request request{
      .method = "GET", .path = "/metrics", .body = "", .content_type = "", .what = "metrics"};
  const auto answer = transport.send(request);
  if (!answer) throw std::runtime_error("metrics: " + answer.error().message);
  if (answer->status != 200) throw std::runtime_error("metrics: " + answer->body);
  return Scrape(answer->body);
}

double api_writes(const Scrape& of_api_server) {
  double out = 0;
  for (const char* verb : {"POST", "PUT", "PATCH", "APPLY", "DELETE"}) {
    out += of_api_server.sum("apiserver_request_total", std::string("verb=\"") + verb + "\"");
  }
  return out;
}

double histogram_quantile(const Scrape& before, const Scrape& after, const std::string& family,
                          double share) {
  std::map<double, double> counts;
  for (const auto& [bound, count] : after.buckets(family)) counts[bound] += count;
  for (const auto& [bound, count] : before.buckets(family)) counts[bound] -= count;
  if (counts.empty() || counts.rbegin()->second <= 0) return 0;
  const double rank = share * counts.rbegin()->second;
  double bound_before = 0, count_before = 0;
  for (const auto& [bound, count] : counts) {
    if (count >= rank && count > count_before) {
      const double part = (rank - count_before) / (count - count_before);
      return std::isinf(bound) ? bound_before : bound_before + (bound - bound_before) * part;
    }
    bound_before = bound;
    count_before = count;
  }
  return bound_before;
}

}  // namespace mc::bench
