#include "tests/docs/metrics_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "common/observe/certificate_metrics.h"
#include "common/observe/http_metrics.h"
#include "services/controller/app/leadership.h"
#include "services/controller/controller.h"
#include "services/controller/webhook_certificates/rotate.h"
#include "services/webhook/server.h"
#include "tests/docs/repository.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"

namespace mc::docs {
namespace {

using Reader = std::function<void(const observe::Registry&)>;

// Calls `read` while all metrics of the controller are registered.
void with_controller(const Reader& read) {
  observe::Registry registry("controller");
  const observe::RestClientMetrics requests(registry, "api:443");
  const SystemClock clock;
  kube::Config config;
  config.server = "https://127.0.0.1:1";
  const auto transport = kube::Transport::create(config);
  const auto leadership = controller::Leadership::create(controller::LeaderElectionOptions(),
                                                         config, {}, clock, registry);
  const controller::Controller controller(**transport, clock, registry, {}, "test");
  const observe::HttpMetrics metrics(registry, "metrics"), probes(registry, "probes");
  const controller::WebhookCertificates certificates(**transport, clock, registry, {});
  read(registry);
}

void with_webhook(const Reader& read) {
  observe::Registry registry("webhook");
  webhook::admission_routes(registry, webhook::reviewer(api::FieldValidation::Strict));
  const observe::CertificateMetrics certificate(registry);
  const observe::HttpMetrics admission(registry, "admission"), metrics(registry, "metrics");
  const observe::HttpMetrics probes(registry, "probes");
  observe::show_life(registry, "serving", [] { return std::nullopt; });
  read(registry);
}

std::vector<observe::Family> families_of(void (*program)(const Reader&)) {
  std::vector<observe::Family> out;
  program([&](const observe::Registry& registry) { out = registry.families(); });
  return out;
}

TEST(MetricsPage, IsCurrent) {
  const std::string page = metrics_page(families_of(with_controller), families_of(with_webhook));
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(test::source_dir() / "docs/metrics.md", std::ios::binary) << page;
  }
  EXPECT_TRUE(text_of("docs/metrics.md") == page)
      << "docs/metrics.md is not what the programs register; `make docs` writes it";
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
