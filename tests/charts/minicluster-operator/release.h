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

// For `--set-json`: no pod is behind the webhook's Service, so the API server must not call it.
inline constexpr const char* kNeverAsked =
    R"(webhook.matchConditions=[{"name": "never", "expression": "false"}])";

inline const std::string kControllerAccount = "minicluster-operator-controller";
inline const std::string kWebhookAccount = "minicluster-operator-webhook";
inline const std::string kCrd = "miniclusters.flux-framework.org";

// The chart on the API server of tests/run.sh, where no pod runs. Each test has a user's namespace
// and the CRD; at its end the release is uninstalled.
class ChartStory : public ::testing::Test {
 protected:
  ChartStory();
  ~ChartStory() override;

  // Installs the chart, or the archive or folder `what`.
  void install(const std::vector<std::string>& arguments = {},
               const std::filesystem::path& what = chart());

  void create(const json& object) { kubectl.must({"create", "-f", "-"}, object.dump()); }

  // The UID of a MiniCluster, which must not change.
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
