#include "services/kubectl-minicluster/app/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

std::expected<Options, Exit> parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kubectl-minicluster");
  auto options = parse_options(static_cast<int>(arguments.size()), arguments.data());
  if (!options) test::collect_errors("Errors of kubectl minicluster", options.error().text);
  return options;
}

TEST(Options, TheClustersFlagsMayStandBeforeAndAfterTheVerb) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"-n", "team", "--context=c", "suspend", "x"},
           {"suspend", "x", "--namespace", "team", "--context", "c"},
           {"suspend", "-n=team", "--context=c", "x"}}) {
    const auto options = parsed(arguments);
    ASSERT_TRUE(options) << options.error().text;
    EXPECT_EQ(options->cluster.ns, "team");
    EXPECT_EQ(options->cluster.context, "c");
    EXPECT_TRUE(options->verb);
  }
}

TEST(Options, AMistakeIsAUsageError) {
  for (const auto& arguments :
       std::vector<std::vector<const char*>>{{},
                                             {"suspnd", "x"},
                                             {"suspend"},
                                             {"scale", "x", "many"},
                                             {"check"},
                                             {"get", "x", "-A"},
                                             {"get", "x", "--phase=Failed"},
                                             {"get", "--phase=odd"},
                                             {"get", "-w", "--phase=Failed"},
                                             {"get", "--start", "-o", "name"},
                                             {"history", "x"},
                                             {"account", "x"},
                                             {"account", "--by=odd"},
                                             {"account", "--since=yesterday"},
                                             {"account", "-o", "yaml"},
                                             {"cancel"},
                                             {"attach"},
                                             {"jobs"}}) {
    const auto options = parsed(arguments);
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, kUsageError);
  }
}

TEST(Options, AMistakeIsToldInOneLine) {
  const auto told = [](const std::vector<const char*>& arguments) {
    return parsed(arguments).error().text;
  };
  EXPECT_EQ(told({"suspnd", "x"}), "error: unknown verb \"suspnd\", did you mean \"suspend\"?\n");
  EXPECT_EQ(told({"-n", "team", "squeue"}),
            "error: unknown verb \"squeue\"; use kubectl minicluster get instead\n");
  EXPECT_EQ(told({"run", "x", "-u", "5"}),
            "error: unknown flag: -u; see kubectl minicluster run --help\n");
  EXPECT_EQ(told({"suspend", "x", "y"}),
            "error: unexpected argument: y; see kubectl minicluster suspend --help\n");
  EXPECT_EQ(told({"suspend"}), "error: NAME is required; see kubectl minicluster suspend --help\n");
  EXPECT_EQ(told({"--nop"}), "error: unknown flag: --nop; see kubectl minicluster --help\n");
  EXPECT_THAT(told({"-n"}), HasSubstr("--namespace"));
  EXPECT_EQ(told({}), "error: a verb is required; see kubectl minicluster --help\n");
}

TEST(Options, EachVerbsHelpHasAnExample) {
  for (const char* const verb :
       {"run",     "submit",  "attach",  "jobs",    "top",   "cancel", "wait", "get",
        "queue",   "history", "account", "explain", "logs",  "exec",   "flux", "shell",
        "suspend", "resume",  "scale",   "delete",  "check", "render"}) {
    const auto options = parsed({verb, "--help"});
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, 0);
    EXPECT_THAT(options.error().text, HasSubstr(std::string("  kubectl minicluster ") + verb));
  }
}

}  // namespace
}  // namespace mc::kubectl
