#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/pods/node.h"
#include "tests/support/clusters.h"
#include "tests/support/folders.h"

namespace mc::pods {

using test::count;

// A story whose pods run Flux; skipped without it.
class WithFlux : public ::testing::Test {
 protected:
  // GoogleTest runs neither SetUp() nor the body after this.
  WithFlux() { skip_without(flux_folder()); }

 private:
  static void skip_without(const std::filesystem::path& flux) {
    if (flux.empty()) GTEST_SKIP() << "MINICLUSTER_FLUX is not set";
  }
};

// A MiniCluster of `size` pods that runs `command` once on each.
inline api::MiniCluster minicluster(std::string command, std::int64_t size = 4) {
  api::MiniCluster out = test::cluster(std::move(command), size);
  out.spec.tasks = size;
  out.spec.flux.container.image = kViewImage;
  return out;
}

// The same with a command that the lead's broker runs itself, and a folder /data that all pods
// share.
inline api::MiniCluster launcher(Node& node, std::string script, std::int64_t size = 4) {
  api::MiniCluster out = minicluster("", size);
  api::Container& runner = out.spec.containers[0];
  runner.command = "bash -c '" + script + "'";
  runner.launcher = true;
  runner.volumes["data"].claim_name = "data";
  runner.volumes["data"].path = "/data";
  node.machine().sources.claims["data"] = node.new_folder("data");
  return out;
}

// The same with Flux in the application's image: copying the view is most of the start time.
inline api::MiniCluster in_image(api::MiniCluster cluster) {
  cluster.spec.flux.container.disable = true;
  cluster.spec.containers[0].image = kImageWithFlux;
  return cluster;
}

// One that takes the jobs of its users, who share /data.
inline api::MiniCluster interactive(Node& node, std::int64_t size) {
  api::MiniCluster out = in_image(launcher(node, "", size));
  out.spec.containers[0].command = "";
  out.spec.containers[0].launcher = false;
  out.spec.interactive = true;
  return out;
}

// Runs a line as a user does after `kubectl exec`, with `flux` in the PATH.
inline test::Outcome come_in(const Pods& pods, std::size_t index, const std::string& line) {
  return pods.runner(index).exec({"bash", "-c", ". /mnt/flux/flux-view.sh; " + line}, kPatience);
}

// What a line prints on the lead, where `flux` talks to the instance.
inline std::string asked(const Pods& pods, const std::string& line) {
  return come_in(pods, 0, "export FLUX_URI=$fluxsocket; " + line).out;
}

// Whether jobs can run on all nodes. This takes some time after the pods are ready.
inline bool takes_jobs(const Pods& pods) {
  return pods.started(0) && come_in(pods, 0,
                                    "timeout 10 flux proxy $fluxsocket flux run -N" +
                                        std::to_string(pods.size()) + " true")
                                    .code == 0;
}

// Shuts down the broker of pod `index`. The container may end before the command that stops it,
// which is then killed with it.
inline void shut_down(const Pods& pods, std::size_t index) {
  const test::Outcome outcome = come_in(pods, index, "flux proxy $fluxsocket flux shutdown");
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 129 || outcome.code == 137)
      << outcome.code << outcome.err;
}

// Runs the pods to their end. Whether all have ended, the first of them with these codes.
[[nodiscard]] inline ::testing::AssertionResult end_with(Pods& pods,
                                                         const std::vector<int>& codes) {
  bool good = pods.run_all();
  for (std::size_t i = 0; i < codes.size(); ++i) good = good && pods.code(i) == codes[i];
  return good ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << pods.logs();
}

// When `phase` began according to the log, in hundredths of a second since the machine's start; -1
// if it is not there. Of several entries, the last.
inline int phase_at(const std::string& log, const std::string& phase) {
  const std::size_t line = log.rfind("phase=" + phase + " ");
  if (line == std::string::npos) return -1;
  const std::string key = "uptime_cs=";
  return std::stoi(log.substr(log.find(key, line) + key.size()));
}

}  // namespace mc::pods
