#include "common/observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>

#include "common/base/guarded.h"
#include "common/observe/process_metrics.h"

namespace mc::observe {
namespace {

template <class T>
using Families = std::map<std::string, prometheus::Family<T>*>;

std::vector<prometheus::MetricFamily> process_families() {
  std::vector<prometheus::MetricFamily> families;
  for (const ProcessMetric& metric : process_metrics()) {
    prometheus::ClientMetric value;
    (metric.counter ? value.counter.value : value.gauge.value) = metric.value;
    families.push_back(
        {metric.name,
         metric.help,
         metric.counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge,
         {value}});
  }
  return families;
}

}  // namespace

struct Registry::Impl {
  prometheus::Registry registry;
  struct ByName {
    Families<prometheus::Counter> counters;
    Families<prometheus::Gauge> gauges;
    Families<prometheus::Histogram> histograms;
  };
  Guarded<ByName> families;

  // prometheus-cpp makes a second family when one is built again under its name.
  template <class T, class Builder>
  prometheus::Family<T>& family(Families<T> ByName::* kind, Builder builder,
                                const std::string& name, const std::string& help) {
    return *families.with([&](ByName& all) {
      auto& slot = (all.*kind)[name];
      if (slot == nullptr) slot = &builder.Name(name).Help(help).Register(registry);
      return slot;
    });
  }
};

void Counter::add(double by) { series_->Increment(by); }

void Gauge::set(double value) { series_->Set(value); }

void Gauge::add(double by) { series_->Increment(by); }

void Histogram::observe(double value) { series_->Observe(value); }

Registry::Registry(std::string_view component) : impl_(std::make_unique<Impl>()) {
  gauge("minicluster_operator_build_info", "Always 1; which build this is.",
        {{"component", std::string(component)}, {"version", MINICLUSTER_VERSION}})
      .set(1);
}

Registry::~Registry() = default;

Counter Registry::counter(const std::string& name, const std::string& help, Labels labels) {
  return Counter(
      impl_->family(&Impl::ByName::counters, prometheus::BuildCounter(), name, help).Add(labels));
}

Gauge Registry::gauge(const std::string& name, const std::string& help, Labels labels) {
  return Gauge(
      impl_->family(&Impl::ByName::gauges, prometheus::BuildGauge(), name, help).Add(labels));
}

Histogram Registry::histogram(const std::string& name, const std::string& help,
                              std::span<const double> buckets, Labels labels) {
  auto& family = impl_->family(&Impl::ByName::histograms, prometheus::BuildHistogram(), name, help);
  return Histogram(
      family.Add(labels, prometheus::Histogram::BucketBoundaries(buckets.begin(), buckets.end())));
}

std::string Registry::text() const {
  auto families = impl_->registry.Collect();
  for (auto& family : process_families()) families.push_back(std::move(family));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace mc::observe
