#include "services/controller/app/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/version.h"
#include "tests/support/messages.h"
#include "tests/support/must.h"

namespace mc::controller {
namespace {

using mc::test::must;

std::expected<Options, Exit> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "minicluster-controller");
  auto options = parse_options(static_cast<int>(arguments.size()), arguments.data());
  if (!options) mc::test::collect_errors("Errors of minicluster-controller", options.error().text);
  return options;
}

TEST(Options, HaveDefaults) {
  const Options options = must(parse({}));
  EXPECT_EQ(options.kubeconfig, "");
  EXPECT_EQ(options.metrics.address, (http::BindAddress{"", 8443}));
  EXPECT_EQ(options.probe_address, (http::BindAddress{"", 8081}));
  EXPECT_TRUE(options.metrics.secure);
  EXPECT_EQ(options.metrics.cert_path, "");
  EXPECT_EQ(options.controller.workers, 16);
  EXPECT_FALSE(options.render);
  EXPECT_FALSE(options.leader_election);
  EXPECT_TRUE(options.controller.namespaces.empty());
}

TEST(Options, NamespacesComeByCommasOrManyTimes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(parse({"--namespaces", "b,a"})->controller.namespaces, (Names{"a", "b"}));
  EXPECT_EQ(parse({"--namespaces=b", "--namespaces", "a,b"})->controller.namespaces,
            (Names{"a", "b"}));
  EXPECT_EQ(parse({"--namespaces", ""})->controller.namespaces, Names{});
  EXPECT_EQ(must(parse({"--namespaces", "a", "render", "-f", "x"})).controller.namespaces,
            Names{"a"});
}

TEST(Options, WithNothingAfterTheEqualsSignAreEmptyAndLeaveTheNextAlone) {
  const Options options = must(
      parse({"--kubeconfig=", "--namespaces=", "--leader-election-namespace=", "--leader-elect"}));
  EXPECT_EQ(options.kubeconfig, "");
  EXPECT_TRUE(options.controller.namespaces.empty());
  EXPECT_EQ(must(options.leader_election).ns, "");
  const Options render = must(parse({"--webhook-certificate-secret=", "render", "-f", "x"}));
  EXPECT_TRUE(render.render);
  EXPECT_FALSE(render.webhook_certificates);
}

TEST(Options, LeaderElectionHasThoseOfClientGo) {
  const auto election = must(must(parse({"--leader-elect"})).leader_election);
  EXPECT_EQ(election.ns, "");
  EXPECT_EQ(election.id, "minicluster-controller");
  EXPECT_EQ(election.times.lease_duration, std::chrono::seconds(15));
  EXPECT_EQ(election.times.renew_deadline, std::chrono::seconds(10));
  EXPECT_EQ(election.times.retry_period, std::chrono::seconds(2));
  EXPECT_FALSE(parse({"--leader-elect=false"})->leader_election);
}

TEST(Options, OfLeaderElectionAreTaken) {
  const Options options =
      must(parse({"--leader-elect=true", "--leader-election-namespace", "n", "--leader-election-id",
                  "i", "--leader-election-lease-duration=1m", "--leader-election-renew-deadline",
                  "4s", "--leader-election-retry-period", "500ms"}));
  const auto election = must(options.leader_election);
  EXPECT_EQ(election.ns, "n");
  EXPECT_EQ(election.id, "i");
  EXPECT_EQ(election.times.lease_duration, std::chrono::seconds(60));
  EXPECT_EQ(election.times.renew_deadline, std::chrono::seconds(4));
  EXPECT_EQ(election.times.retry_period, std::chrono::milliseconds(500));
}

TEST(Options, AreTaken) {
  const Options options = must(
      parse({"--kubeconfig", "k", "--metrics-bind-address", "0", "--workers", "9", "-v", "4"}));
  EXPECT_EQ(options.kubeconfig, "k");
  EXPECT_EQ(parse({"-v=2"})->verbosity, 2);
  EXPECT_FALSE(options.metrics.address);
  EXPECT_EQ(options.controller.workers, 9);
  EXPECT_EQ(options.verbosity, 4);
  EXPECT_THAT(parse({"--gpu-resources=b.example/gpu,a.example/gpu"})->controller.gpu_resources,
              ::testing::ElementsAre("a.example/gpu", "b.example/gpu"));
  EXPECT_EQ(options.controller.index_labels, IndexLabels::Lead);
  EXPECT_EQ(parse({"--pod-index-labels=all"})->controller.index_labels, IndexLabels::All);
  EXPECT_TRUE(options.controller.accounts);
  EXPECT_FALSE(parse({"--accounts=false"})->controller.accounts);
  EXPECT_FALSE(options.controller.kueue);
  EXPECT_TRUE(parse({"--kueue"})->controller.kueue);
  EXPECT_FALSE(options.controller.gang);
  EXPECT_THAT(options.controller.gang_kinds, ::testing::IsEmpty());
  const Options gang = must(parse({"--gang=auto", "--gang-kinds=Volcano,Native"}));
  EXPECT_TRUE(gang.controller.gang);
  EXPECT_THAT(gang.controller.gang_kinds,
              ::testing::UnorderedElementsAre(api::GangKind::Native, api::GangKind::Volcano));
  EXPECT_THAT(parse({"--gang=off", "--gang-kinds="})->controller.gang_kinds, ::testing::IsEmpty());
}

TEST(Options, OfMetricsAndProbesAreTaken) {
  const Options options =
      must(parse({"--metrics-bind-address=127.0.0.1:1", "--health-probe-bind-address", ":2",
                  "--metrics-secure=false", "--metrics-cert-path", "/certs"}));
  EXPECT_EQ(options.metrics.address, (http::BindAddress{"127.0.0.1", 1}));
  EXPECT_EQ(options.probe_address, (http::BindAddress{"", 2}));
  EXPECT_FALSE(options.metrics.secure);
  EXPECT_EQ(options.metrics.cert_path, "/certs");
  EXPECT_FALSE(parse({"--health-probe-bind-address=0"})->probe_address);
  EXPECT_TRUE(parse({"--metrics-secure"})->metrics.secure);
  EXPECT_TRUE(parse({"--metrics-secure=false", "--metrics-secure=true"})->metrics.secure);
  EXPECT_FALSE(parse({"--metrics-secure", "--metrics-secure=false"})->metrics.secure);
}

TEST(Options, GivenAgainWin) {
  const Options options =
      must(parse({"--workers=4", "-v", "1", "--leader-elect", "--v=2", "--workers", "9",
                  "--leader-elect=false", "--leader-election-retry-period=1s",
                  "--leader-election-retry-period=3s"}));
  EXPECT_EQ(options.controller.workers, 9);
  EXPECT_EQ(options.verbosity, 2);
  EXPECT_FALSE(options.leader_election);
}

TEST(Options, OfUnknownFields) {
  for (const char* warn : {"--field-validation=Warn", "--field-validation=warn"}) {
    EXPECT_EQ(parse({"render", "-f=a", warn})->render->fields, api::FieldValidation::Warn);
  }
}

TEST(Options, OfRender) {
  const auto render = must(must(parse({"render", "-f", "a", "-f", "-", "--with-secrets"})).render);
  EXPECT_EQ(render.files, (std::vector<std::string>{"a", "-"}));
  EXPECT_TRUE(render.with_secrets);
  EXPECT_EQ(render.fields, api::FieldValidation::StrictEverywhere);
  EXPECT_EQ(parse({"render", "-f=a"})->render->files, std::vector<std::string>{"a"});
}

// Parses the options of the webhook's certificates, and `more`.
std::expected<Options, Exit> with_webhook(std::vector<const char*> more) {
  more.insert(more.begin(),
              {"--webhook-certificate-secret", "web", "--webhook-service", "webhook",
               "--webhook-namespace", "system", "--webhook-configuration", "mini.cluster"});
  return parse(more);
}

TEST(Options, OfTheWebhooksCertificates) {
  EXPECT_FALSE(parse({})->webhook_certificates);
  const auto usual = must(must(with_webhook({})).webhook_certificates);
  EXPECT_EQ(usual.secret, "web");
  EXPECT_EQ(usual.service, "webhook");
  EXPECT_EQ(usual.ns, "system");
  EXPECT_EQ(usual.configuration, "mini.cluster");
  EXPECT_EQ(usual.authority_lifetime, std::chrono::days(365));
  EXPECT_EQ(usual.leaf_lifetime, std::chrono::days(90));
  EXPECT_EQ(usual.mount_delay, std::chrono::minutes(2));
  const Options options =
      must(with_webhook({"--webhook-ca-lifetime", "20m", "--webhook-leaf-lifetime", "5m",
                         "--webhook-mount-delay", "90s"}));
  const auto brief = must(options.webhook_certificates);
  EXPECT_EQ(brief.authority_lifetime, std::chrono::minutes(20));
  EXPECT_EQ(brief.leaf_lifetime, std::chrono::minutes(5));
  EXPECT_EQ(brief.mount_delay, std::chrono::seconds(90));
}

TEST(Options, OfTheWebhooksCertificatesThatCannotWorkAreMistakes) {
  for (const auto& [arguments, words] :
       std::vector<std::pair<std::vector<const char*>, const char*>>{
           {{"--webhook-leaf-lifetime", "3m"},
            "the lifetime of the certificate must be at least twice the mount delay; see "},
           {{"--webhook-ca-lifetime", "269d"},
            "the lifetime of the certificate authority must be at least three times that of the "
            "certificate; see "},
           {{"--webhook-mount-delay", "0s"}, "--webhook-mount-delay"},
           {{"--webhook-mount-delay", "60"}, "--webhook-mount-delay"}}) {
    const auto options = with_webhook(arguments);
    ASSERT_FALSE(options) << words;
    EXPECT_EQ(options.error().code, 2);
    EXPECT_NE(options.error().text.find(words), std::string::npos) << options.error().text;
  }
}

TEST(Options, OfTheWebhooksCertificatesNeedAllNames) {
  const auto usage_error = [](const char* secret, const char* service, const char* ns,
                              const char* configuration) {
    const auto options =
        parse({"--webhook-certificate-secret", secret, "--webhook-service", service,
               "--webhook-namespace", ns, "--webhook-configuration", configuration});
    const std::string text = options ? "none" : options.error().text;
    return text.substr(0, text.find(" RFC"));
  };
  EXPECT_EQ(usage_error("web", "webhook", "system", "c"), "none");
  EXPECT_EQ(usage_error("W", "webhook", "system", "c"),
            "error: --webhook-certificate-secret: a lowercase");
  EXPECT_EQ(usage_error("web", "a,DNS:b", "system", "c"), "error: --webhook-service: a lowercase");
  EXPECT_EQ(usage_error("web", "webhook", "s.s", "c"), "error: --webhook-namespace: a lowercase");
  EXPECT_EQ(usage_error("web", "webhook", "system", "C"),
            "error: --webhook-configuration: a lowercase");
  EXPECT_FALSE(parse({"--webhook-certificate-secret", "web"}));
}

TEST(Options, MistakesEndWithTwoAndSayWhy) {
  for (const auto& [arguments, word] :
       std::vector<std::pair<std::vector<const char*>, const char*>>{
           {{"--worker", "2"}, "--worker"},
           {{"--workers", "0"}, "--workers"},
           {{"--gang=auto"}, "--gang: auto needs --gang-kinds"},
           {{"--gang-kinds=Slurm"}, "--gang-kinds"},
           {{"--metrics-bind-address", "x"}, "--metrics-bind-address: \"x\" is not an address"},
           {{"--health-probe-bind-address", "8081"},
            "--health-probe-bind-address: \"8081\" is not an address"},
           {{"--metrics-secure=maybe"}, "--metrics-secure"},
           {{"--namespaces", "a,,b"}, "--namespaces: \"\": "},
           {{"--workers=", "9"}, "--workers"},
           {{"--leader-elect="}, "unexpected argument: \"\""},
           {{"--namespaces", ","}, "--namespaces: \"\": "},
           {{"--namespaces", "a, b"}, "--namespaces: \" b\": "},
           {{"--namespaces", "A"}, "--namespaces: \"A\": "},
           {{"--leader-election-id", ""}, "--leader-election-id"},
           {{"--leader-election-lease-duration", "10s"}, "--leader-election-lease-duration"},
           {{"--leader-election-renew-deadline", "2s"}, "--leader-election-renew-deadline"},
           {{"--leader-election-retry-period", "2"}, "--leader-election-retry-period"},
           {{"--leader-election-retry-period", "0s"}, "--leader-election-retry-period"},
           {{"--leader-election-retry-period", "soon"}, "--leader-election-retry-period"},
           {{"render"}, "--filename"}}) {
    const auto options = parse(arguments);
    ASSERT_FALSE(options) << word;
    EXPECT_EQ(options.error().code, 2) << word;
    EXPECT_NE(options.error().text.find(word), std::string::npos) << options.error().text;
  }
}

TEST(Options, HelpAndVersionEndWithZero) {
  EXPECT_EQ(parse({"--help"}).error().code, 0);
  EXPECT_EQ(parse({"--version"}).error().text, "minicluster-controller " + version() + "\n");
}

}  // namespace
}  // namespace mc::controller
