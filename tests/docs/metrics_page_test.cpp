#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "certs/certificate_metrics.h"
#include "common/http/server.h"
#include "common/observe/metrics.h"
#include "services/controller/app/leadership.h"
#include "services/controller/controller.h"
#include "services/controller/metrics/rest_client.h"
#include "services/controller/webhook_certificates/rotate.h"
#include "services/webhook/admission_routes.h"
#include "tests/support/folders.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace mc::docs {
namespace {

using Families = std::vector<observe::Family>;
using Reader = std::function<void(const observe::Registry&)>;

constexpr const char* kMetricsIntroduction = R"(# Metrics

`make docs` generates this page from the metrics that the programs register.

Both programs serve `/metrics` on the port of `--metrics-bind-address`. [monitoring.md](monitoring.md) says how to scrape them,
and has the dashboards and alerts. A metric with a name from controller-runtime, client-go or Prometheus' Go client library
also has the type, labels and buckets that it has there, so existing dashboards work.

- Counters start at 0. Series of codes and verbs that are not known in advance appear with their first event.
- Only the leader reconciles, so the counters of other controllers do not change. Only the leader has metrics about MiniClusters
  (`minicluster_clusters`, `minicluster_pods_*`, `minicluster_not_ready`, `minicluster_bound_in_part`, `minicluster_used_*`), about the
  queue (`minicluster_quota_hard`, `_used`, `_waiting`, `_running`, `minicluster_fluxsetups`), and about the certificates that it
  maintains.
- No label contains the name of a MiniCluster or pod. The 100 namespaces with the most MiniClusters (fewer if their names are
  long) have their own series; all others share `(other)`. Likewise, reasons beyond the first 30 share `(other)`.
- `controller` is `minicluster`, `webhookcertificate` (the certificates that the controller maintains) or, in the webhook,
  `certificate` (each time that it reads the files of its certificate).
- `minicluster_time_to_bind_seconds` is observed from the scheduler's times, which have whole seconds. A start during which another
  controller becomes the leader is left out if a pod was on a node by then.
- `minicluster_used_*_total` and `minicluster_start_wait_seconds` count each MiniCluster when it ends, whether or not its record can be
  written ([accounts.md](accounts.md)); one that ended while another controller led, once its record is written. The first 100 namespaces
  and 400 series of resources have their own series; all others share `(other)`, which has at most 20 resources.
- `phase` and `reason` are those of the status, which `kubectl get` and `kubectl describe` show.
- `minicluster_certificate_*`: `serving` is the certificate that a webhook serves; `leaf` and `authority` are those that the
  controller maintains ([certificates.md](certificates.md)).
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

// The text of docs/metrics.md: every metric family in the registries of both programs.
std::string metrics_page(const Families& controller, const Families& webhook) {
  return kMetricsIntroduction +
         table("The controller", controller,
               [&](const auto& family) { return !has(webhook, family); }) +
         table("The webhook", webhook,
               [&](const auto& family) { return !has(controller, family); }) +
         table("Both", controller, [&](const auto& family) { return has(webhook, family); });
}

// Calls `read` while all metrics of the controller are registered.
void with_controller(const Reader& read) {
  observe::Registry registry("controller");
  const controller::RestClientMetrics requests(registry, "api:443");
  const SystemClock clock;
  kube::Config config;
  config.server = "https://127.0.0.1:1";
  const auto transport = kube::Transport::create(config);
  const auto leadership = controller::Leadership::create(controller::LeaderElectionOptions(),
                                                         config, {}, clock, registry);
  const controller::Controller controller(**transport, clock, registry, {}, "test");
  const http::ServerMetrics metrics(registry, "metrics"), probes(registry, "probes");
  const controller::WebhookCertificates certificates(**transport, clock, registry, {});
  read(registry);
}

void with_webhook(const Reader& read) {
  observe::Registry registry("webhook");
  webhook::admission_routes(registry,
                            webhook::admission_handler(webhook::UnknownFields::AsClientAsks));
  const certs::CertificateMetrics certificate(registry);
  const http::ServerMetrics admission(registry, "admission"), metrics(registry, "metrics");
  const http::ServerMetrics probes(registry, "probes");
  certs::export_certificate_times(registry, "serving", [] { return std::nullopt; });
  read(registry);
}

std::vector<observe::Family> families_of(void (*program)(const Reader&)) {
  std::vector<observe::Family> out;
  program([&](const observe::Registry& registry) { out = registry.families(); });
  return out;
}

TEST(MetricsPage, IsCurrent) {
  test::expect_golden("docs/metrics.md",
                      metrics_page(families_of(with_controller), families_of(with_webhook)),
                      "not what the programs register; `make docs` writes it");
}

TEST(MetricsPage, EveryFamilyHasAHelpTextThatIsASentence) {
  for (const auto program : {with_controller, with_webhook}) {
    for (const observe::Family& family : families_of(program)) {
      EXPECT_GT(family.help.size(), 10) << family.name;
      EXPECT_TRUE(family.help.ends_with(".")) << family.name;
      if (family.name.ends_with("_seconds")) {
        EXPECT_NE(family.help.find("econds"), std::string::npos) << family.name;
      }
    }
  }
}

TEST(Metrics, PromtoolFindsNoFault) {
  for (const auto program : {with_controller, with_webhook}) {
    program([](const observe::Registry& registry) {
      const test::Outcome outcome = test::run({"promtool", "check", "metrics"},
                                              {.input = registry.text(), .environment = {}});
      EXPECT_EQ(outcome.code, 0);
      EXPECT_EQ(outcome.out + outcome.err, "");
    });
  }
}

}  // namespace
}  // namespace mc::docs
