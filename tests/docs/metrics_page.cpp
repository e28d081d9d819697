#include "tests/docs/metrics_page.h"

#include <algorithm>

namespace mc::docs {
namespace {

using Families = std::vector<observe::Family>;

constexpr const char* kIntroduction = R"(# Metrics

`make docs` makes this page from what the programs register.

Both programs serve `/metrics` on the port of `--metrics-bind-address`. [monitoring.md](monitoring.md) says how to scrape them,
and has the dashboards and alerts. Families with names of controller-runtime, client-go and the Go client library have their
types, labels and buckets, so dashboards made for these work.

- A counter is there with 0 before its first event, but for codes and verbs that nobody can know beforehand.
- Of several controllers one leads. Only it works, so the counters of the others stay as they are, and only it shows
  MiniClusters (`minicluster_clusters`, `minicluster_pods_*`, `minicluster_not_ready`) and the certificates that it keeps.
- Nothing has the name of a MiniCluster or a pod in a label. Namespaces have a series of their own in the order of how many
  MiniClusters they have; those beyond the first 100 (fewer with long names) are together in `(other)`, so are reasons beyond the
  first 30.
- `controller` is `minicluster`, `webhookcertificate` (the certificates that the controller keeps) or, in the webhook,
  `certificate` (each look at its files).
- `phase` and `reason` are the words of the status: `kubectl get` and `kubectl describe` show the same.
- `minicluster_certificate_*`: `serving` is what a webhook shows, `leaf` and `authority` are what the controller keeps
  ([certificates.md](certificates.md)).
)";

const char* type_of(observe::MetricType type) {
  switch (type) {
    case observe::MetricType::Counter:
      return "counter";
    case observe::MetricType::Gauge:
      return "gauge";
    case observe::MetricType::Histogram:
      break;
  }
  return "histogram";
}

std::string row(const observe::Family& family) {
  std::string labels;
  for (const std::string& label : family.labels) {
    labels += (labels.empty() ? "`" : ", `") + label + "`";
  }
  std::string help = family.help;
  if (const std::size_t at = help.find('<'); at != std::string::npos) help.replace(at, 1, "&lt;");
  return "| `" + family.name + "` | " + type_of(family.type) + " | " + labels + " | " + help +
         " |\n";
}

bool has(const Families& all, const observe::Family& family) {
  return std::ranges::any_of(all, [&](const auto& one) { return one.name == family.name; });
}

template <class Wanted>
std::string table(const std::string& title, const Families& all, const Wanted& wanted) {
  std::string text =
      "\n## " + title + "\n\n| Name | Type | Labels | What it is |\n| --- | --- | --- | --- |\n";
  for (const observe::Family& family : all) {
    if (wanted(family)) text += row(family);
  }
  return text;
}

}  // namespace

std::string metrics_page(const Families& controller, const Families& webhook) {
  return kIntroduction +
         table("The controller", controller,
               [&](const auto& family) { return !has(webhook, family); }) +
         table("The webhook", webhook,
               [&](const auto& family) { return !has(controller, family); }) +
         table("Both", controller, [&](const auto& family) { return has(webhook, family); });
}

}  // namespace mc::docs
