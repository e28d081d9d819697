#pragma once
#include <set>
#include <string>
#include <string_view>

namespace mc::test {

// The sum of the series of a family in a Prometheus text (version 0.0.4) whose labels contain
// `label` literally, for example `method="POST"`; if that is empty, of all its series. 0 if there
// is none.
double sum_of(std::string_view metrics, std::string_view family, std::string_view label = "");

// The series of a family in such a text, in order, each line without the name.
std::string series_of(std::string_view metrics, const std::string& family);

// The metric families of both programs, from docs/metrics.md.
std::set<std::string> documented_metrics();

}  // namespace mc::test
