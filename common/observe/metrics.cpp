#include "common/observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>

#include "common/base/guarded.h"
#include "common/base/version.h"
#include "common/observe/process_metrics.h"

namespace mc::observe {
namespace {

using Samples = std::function<std::vector<Sample>()>;

template <class T>
using FamiliesOf = std::map<std::string, prometheus::Family<T>*>;

prometheus::MetricType type_of(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return prometheus::MetricType::Counter;
    case MetricType::Gauge:
      return prometheus::MetricType::Gauge;
    case MetricType::Histogram:
      break;
  }
  return prometheus::MetricType::Histogram;
}

prometheus::ClientMetric series(const Family& family, const Sample& sample) {
  prometheus::ClientMetric out;
  for (std::size_t i = 0; i < family.labels.size(); ++i) {
    out.label.push_back({family.labels[i], sample.label_values.at(i)});
  }
  std::ranges::sort(out.label, {}, &prometheus::ClientMetric::Label::name);  // like all others
  (family.type == MetricType::Counter ? out.counter.value : out.gauge.value) = sample.value;
  return out;
}

std::vector<std::string> names_of(Labels labels) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : labels) names.push_back(name);
  return names;
}

}  // namespace

struct Registry::Impl {
  prometheus::Registry registry;

  struct State {
    std::map<std::string, Family> families;
    std::map<std::string, std::vector<Samples>> collected;
    FamiliesOf<prometheus::Counter> counters;
    FamiliesOf<prometheus::Gauge> gauges;
    FamiliesOf<prometheus::Histogram> histograms;
  };
  Guarded<State> state;

  // prometheus-cpp creates a second family if one is built twice under the same name.
  template <class T, class Builder>
  prometheus::Family<T>& family(FamiliesOf<T> State::* kind, Builder builder,
                                const Family& wanted) {
    return *state.with([&](State& all) {
      auto& slot = (all.*kind)[wanted.name];
      if (slot == nullptr) {
        slot = &builder.Name(wanted.name).Help(wanted.help).Register(registry);
        all.families.emplace(wanted.name, wanted);
      }
      return slot;
    });
  }
};

void Counter::add(double by) { series_->Increment(by); }

void Gauge::set(double value) { series_->Set(value); }

void Gauge::add(double by) { series_->Increment(by); }

void Histogram::observe(double value) { series_->Observe(value); }

Registry::Registry(std::string_view component) : impl_(std::make_unique<Impl>()) {
  gauge("minicluster_operator_build_info", "Always 1; the labels identify the build.",
        {{"component", std::string(component)}, {"version", version()}})
      .set(1);
  impl_->state.with([](Impl::State& all) {
    for (const auto& [family, unused] : process_metrics())
      all.families.emplace(family.name, family);
  });
}

Registry::~Registry() = default;

Counter Registry::counter(const std::string& name, const std::string& help, Labels labels) {
  return Counter(impl_
                     ->family(&Impl::State::counters, prometheus::BuildCounter(),
                              {name, MetricType::Counter, help, names_of(labels)})
                     .Add(labels));
}

Gauge Registry::gauge(const std::string& name, const std::string& help, Labels labels) {
  return Gauge(impl_
                   ->family(&Impl::State::gauges, prometheus::BuildGauge(),
                            {name, MetricType::Gauge, help, names_of(labels)})
                   .Add(labels));
}

Histogram Registry::histogram(const std::string& name, const std::string& help,
                              std::span<const double> buckets, Labels labels) {
  auto& family = impl_->family(&Impl::State::histograms, prometheus::BuildHistogram(),
                               {name, MetricType::Histogram, help, names_of(labels)});
  return Histogram(
      family.Add(labels, prometheus::Histogram::BucketBoundaries(buckets.begin(), buckets.end())));
}

void Registry::collect(const Family& family, std::function<std::vector<Sample>()> samples) {
  impl_->state.with([&](Impl::State& all) {
    all.families.emplace(family.name, family);
    all.collected[family.name].push_back(std::move(samples));
  });
}

std::string Registry::text() const {
  auto out = impl_->registry.Collect();
  for (const auto& [family, value] : process_metrics()) {
    out.push_back({family.name, family.help, type_of(family.type), {series(family, {{}, value})}});
  }
  const auto [families, collected] = impl_->state.with(
      [](const Impl::State& all) { return std::pair(all.families, all.collected); });
  for (const auto& [name, sources] : collected) {
    const Family& family = families.at(name);
    std::vector<prometheus::ClientMetric> all;
    for (const Samples& source : sources) {
      for (const Sample& sample : source()) all.push_back(series(family, sample));
    }
    if (!all.empty()) out.push_back({name, family.help, type_of(family.type), std::move(all)});
  }
  return prometheus::TextSerializer().Serialize(out);
}

std::vector<Family> Registry::families() const {
  return impl_->state.with([](const Impl::State& all) {
    std::vector<Family> out;
    std::ranges::copy(std::views::values(all.families), std::back_inserter(out));
    return out;
  });
}

}  // namespace mc::observe
