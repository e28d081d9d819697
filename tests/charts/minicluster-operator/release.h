#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/charts/minicluster-operator/rendered.h"
#include "tests/support/kubectl.h"
#include "tests/support/minicluster.h"
#include "tests/support/stage.h"

namespace mc::test {

// For `--set-json`: no pod answers the webhook's Service, so the API server must not ask it.
inline constexpr const char* kNeverAsked =
    R"(webhook.matchConditions=[{"name": "never", "expression": "false"}])";

inline const std::string kControllerAccount = "minicluster-operator-controller";
inline const std::string kWebhookAccount = "minicluster-operator-webhook";
inline const std::string kCrd = "miniclusters.flux-framework.org";

// The chart on the API server of tests/run.sh, where no pod runs: each test has a namespace of a
// user, and the CRD is there; at its end there is no release.
class ChartStory : public ::testing::Test {
 protected:
  ChartStory();
  ~ChartStory() override;

  // Installs the chart; with an archive or folder given, that one.
  void install(const std::vector<std::string>& arguments = {},
               const std::filesystem::path& what = chart());

  void create(const json& object) { kubectl.must({"create", "-f", "-"}, object.dump()); }

  // What a test must not lose.
  std::string uid(const std::string& minicluster) const;

  // A kubeconfig with a token of one of the release's ServiceAccounts.
  std::filesystem::path kubeconfig_of(const std::string& account) const;
  std::string server() const;

  Namespace namespace_{Stage::get().kubectl()};
  const Kubectl& kubectl = namespace_.kubectl();
  const Kubectl system = kubectl.in(kReleaseNamespace);
};

// The same with the chart installed.
class ReleaseStory : public ChartStory {
 protected:
  ReleaseStory() { install(); }
};

}  // namespace mc::test
