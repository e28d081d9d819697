#include "services/webhook/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "common/base/version.h"
#include "tests/support/messages.h"
#include "tests/support/must.h"

namespace mc::webhook {
namespace {

using test::must;
using testing::ElementsAre;
using testing::HasSubstr;

std::expected<Options, Exit> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "minicluster-webhook");
  auto options = parse_options(static_cast<int>(arguments.size()), arguments.data());
  if (!options) mc::test::collect_errors("Errors of minicluster-webhook", options.error().text);
  return options;
}

TEST(OptionsTest, DefaultsAreThoseOfControllerRuntime) {
  const Options options = must(parse({}));
  EXPECT_EQ(options.address, (http::BindAddress{"", 9443}));
  EXPECT_EQ(options.cert_dir, "/tmp/k8s-webhook-server/serving-certs");
  EXPECT_EQ(options.metrics_address, (http::BindAddress{"", 8443}));
  EXPECT_EQ(options.probe_address, (http::BindAddress{"", 8081}));
  EXPECT_TRUE(options.metrics_secure);
  EXPECT_EQ(options.shutdown_delay, std::chrono::seconds(0));
  EXPECT_EQ(options.unknown_fields, UnknownFields::AsClientAsks);
  EXPECT_EQ(options.verbosity, 0);
  EXPECT_FALSE(options.check);
}

TEST(OptionsTest, EveryFlagIsRead) {
  const Options options =
      must(parse({"--port", "8443", "--host=127.0.0.1", "--cert-dir", "/certs",
                  "--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=[::1]:1",
                  "--metrics-secure=false", "-v", "4", "--shutdown-delay-duration=5s",
                  "--field-validation=Warn"}));
  EXPECT_EQ(options.address, (http::BindAddress{"127.0.0.1", 8443}));
  EXPECT_EQ(options.cert_dir, "/certs");
  EXPECT_EQ(options.metrics_address, (http::BindAddress{"127.0.0.1", 0}));
  EXPECT_EQ(options.probe_address, (http::BindAddress{"::1", 1}));
  EXPECT_FALSE(options.metrics_secure);
  EXPECT_EQ(options.unknown_fields, UnknownFields::AreWarnings);
  EXPECT_EQ(options.verbosity, 4);
  EXPECT_EQ(options.shutdown_delay, std::chrono::seconds(5));
}

TEST(OptionsTest, OneWithNothingAfterTheEqualsSignIsEmptyAndLeavesTheNextAlone) {
  const Options options =
      must(parse({"--host=", "--port=8443", "--cert-dir=", "check", "-f", "a"}));
  EXPECT_EQ(options.address, (http::BindAddress{"", 8443}));
  EXPECT_EQ(options.cert_dir, "");
  EXPECT_THAT(must(options.check).files, ElementsAre("a"));
}

TEST(OptionsTest, GivenAgainWin) {
  const Options options = must(parse({"--port=1", "--v=2", "--port", "2", "-v=4"}));
  EXPECT_EQ(options.address.port, 2);
  EXPECT_EQ(options.verbosity, 4);
}

TEST(OptionsTest, ThePortsOfMetricsAndProbesCanBeOff) {
  EXPECT_EQ(parse({"--health-probe-bind-address=0"})->probe_address, std::nullopt);
  EXPECT_EQ(parse({"--metrics-bind-address=0"})->metrics_address, std::nullopt);
  EXPECT_EQ(parse({"--metrics-bind-address=", "--port=1"})->metrics_address, std::nullopt);
}

TEST(OptionsTest, KlogsSpellingsOfVerbosityAreRead) {
  for (const char* spelling : {"-v=2", "--v=2", "-v2"}) {
    EXPECT_EQ(must(parse({spelling})).verbosity, 2) << spelling;
  }
}

TEST(OptionsTest, CheckTakesManyFilesAndStandardInput) {
  const auto check = must(must(parse({"check", "-f", "a.yaml", "b.yaml", "-f", "-"})).check);
  EXPECT_THAT(check.files, ElementsAre("a.yaml", "b.yaml", "-"));
  EXPECT_FALSE(check.json);
  for (const char* format : {"-o=json", "-ojson", "--output=json"}) {
    const auto as_json = must(must(parse({"check", format, "-f=a.yaml"})).check);
    EXPECT_TRUE(as_json.json);
    EXPECT_THAT(as_json.files, ElementsAre("a.yaml"));
  }
}

TEST(OptionsTest, CheckHasAFieldValidationOfItsOwn) {
  const Options options = must(parse({"check", "-f", "a.yaml", "--field-validation", "Warn"}));
  EXPECT_EQ(must(options.check).fields, api::FieldValidation::Warn);
  EXPECT_EQ(parse({"check", "-f", "a.yaml"})->check->fields,
            api::FieldValidation::StrictEverywhere);
}

TEST(OptionsTest, AMistakeIsExitCode2AndSaysWhat) {
  const struct {
    std::vector<const char*> arguments;
    const char* text;
  } cases[] = {
      {{"--prot", "1"}, "--prot"},
      {{"--port", "70000"}, "--port: \"70000\" is not a number from 0 to 65535"},
      {{"--port", "https"}, "--port"},
      {{"--metrics-bind-address", "8080"},
       "--metrics-bind-address: \"8080\" is not an address to listen on: must be host:port or "
       ":port, or 0 for none; see minicluster-webhook --help\n"},
      {{"--health-probe-bind-address", "x"},
       "--health-probe-bind-address: \"x\" is not an address"},
      {{"--metrics-secure=maybe"}, "--metrics-secure"},
      {{"-v", "-1"}, "-v"},
      {{"--port=", "9443"}, "--port"},
      {{"--field-validation=Ignore"},
       "--field-validation: \"Ignore\" is not one of Client, Strict, Warn"},
      {{"check"}, "--filename is required"},
      {{"check", "-f", "a", "-o", "yaml"}, "--output"},
      {{"verify"}, "verify"},
  };
  for (const auto& [arguments, text] : cases) {
    const auto options = parse(arguments);
    ASSERT_FALSE(options) << text;
    EXPECT_EQ(options.error().code, 2);
    EXPECT_THAT(options.error().text, HasSubstr(text));
  }
}

TEST(OptionsTest, VersionIsOneLine) {
  const auto options = parse({"--version"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, 0);
  EXPECT_EQ(options.error().text, "minicluster-webhook " + version() + "\n");
}

TEST(OptionsTest, HelpNamesEveryFlag) {
  const auto options = parse({"--help"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, 0);
  for (const char* word :
       {"--port", "--host", "--cert-dir", "--metrics-bind-address", "--metrics-secure",
        "--health-probe-bind-address", "-v", "--version", "check", "9443", ":8443", ":8081"}) {
    EXPECT_THAT(options.error().text, HasSubstr(word));
  }
  EXPECT_THAT(parse({"check", "--help"}).error().text,
              HasSubstr("0 if all are accepted, 1 if one is refused"));
}

}  // namespace
}  // namespace mc::webhook
