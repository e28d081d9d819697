#include "services/controller/options.h"

#include <gtest/gtest.h>

namespace mc::controller {
namespace {

std::expected<Options, Exit> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "minicluster-controller");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, HaveDefaults) {
  const auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->kubeconfig, "");
  EXPECT_EQ(options->metrics_address, (observe::BindAddress{"", 8080}));
  EXPECT_EQ(options->workers, 4);
  EXPECT_FALSE(options->render);
}

TEST(Options, AreTaken) {
  const auto options =
      parse({"--kubeconfig", "k", "--metrics-bind-address", "0", "--workers", "9", "-v", "4"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->kubeconfig, "k");
  EXPECT_FALSE(options->metrics_address);
  EXPECT_EQ(options->workers, 9);
  EXPECT_EQ(options->verbosity, 4);
}

TEST(Options, OfRender) {
  const auto options = parse({"render", "-f", "a", "-f", "-", "--with-secrets"});
  ASSERT_TRUE(options && options->render);
  EXPECT_EQ(options->render->files, (std::vector<std::string>{"a", "-"}));
  EXPECT_TRUE(options->render->with_secrets);
}

TEST(Options, MistakesEndWithTwoAndSayWhy) {
  for (const auto& [arguments, word] :
       std::vector<std::pair<std::vector<const char*>, const char*>>{
           {{"--worker", "2"}, "--worker"},
           {{"--workers", "0"}, "--workers"},
           {{"--metrics-bind-address", "x"}, "--metrics-bind-address"},
           {{"render"}, "--filename"}}) {
    const auto options = parse(arguments);
    ASSERT_FALSE(options) << word;
    EXPECT_EQ(options.error().code, 2) << word;
    EXPECT_NE(options.error().text.find(word), std::string::npos) << options.error().text;
  }
}

TEST(Options, HelpAndVersionEndWithZero) {
  EXPECT_EQ(parse({"--help"}).error().code, 0);
  EXPECT_EQ(parse({"--version"}).error().text, "minicluster-controller " MINICLUSTER_VERSION "\n");
}

}  // namespace
}  // namespace mc::controller
