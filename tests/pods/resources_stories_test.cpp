#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/pods/story.h"

// What Flux says of too few cores. The files of the system that say what a pod has are made here;
// e2e/stories has those of a kubelet, and what Flux counts with them.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;

using Resources = WithFlux;

constexpr const char* kSystem = "/system";

// Files for cgroup version 2 with a CPU limit, in hundredths of a CPU.
std::filesystem::path system_with_limit(Node& node, int hundredths) {
  const std::filesystem::path out = node.new_folder("system-" + std::to_string(hundredths));
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((out / path).parent_path());
    std::ofstream(out / path) << text;
  };
  write("proc/self/cgroup", "0::/\n");
  write("proc/self/status", "Cpus_allowed_list:\t0-1\n");
  write("sys/devices/system/cpu/online", "0-1\n");
  write("sys/fs/cgroup/cpu.max", std::to_string(hundredths * 1000) + " 100000\n");
  return out;
}

// In each pod the container that runs Flux has this CPU limit.
void limit_cpus(Node& node, api::MiniCluster& cluster, int hundredths) {
  cluster.spec.containers[0].environment["mc_system"] = kSystem;
  node.machine().images[kImageWithFlux].mounts.push_back(
      {system_with_limit(node, hundredths), kSystem});
}

TEST_F(Resources, AreTheCpuLimitRoundedUpAndTasksAreNotPinned) {
  Node node;
  api::MiniCluster cluster =
      in_image(launcher(node,
                        "flux resource list -n -o \"{nnodes} {ncores}\";"
                        "flux run -N2 grep Cpus_allowed_list /proc/self/status;"
                        "flux run -n1 -o cpu-affinity=on true;"
                        "flux run -n3 true",
                        2));
  limit_cpus(node, cluster, 50);
  Pods pods(node, cluster);
  EXPECT_TRUE(end_with(pods, {1}));
  EXPECT_THAT(pods.log(0), HasSubstr("\n2 2\n")) << pods.logs();
  const std::string all =
      "Cpus_allowed_list:\t0-" + std::to_string(std::thread::hardware_concurrency() - 1);
  EXPECT_EQ(count(pods.log(0), all), 2) << pods.logs();
  EXPECT_THAT(pods.log(0), HasSubstr("Flux has 2 pods with 2 cores and 0 GPUs in all"));
}

TEST_F(Resources, OfAFollowerThatHasFewerThanTheLeadAreToldAndItDoesNotJoin) {
  Node node;
  api::MiniCluster cluster = in_image(minicluster("hostname", 2));
  limit_cpus(node, cluster, 200);
  Pods pods(node, cluster);
  pods.start(0);
  node.machine().images[kImageWithFlux].mounts.back().source = system_with_limit(node, 100);
  pods.start(1);
  ASSERT_TRUE(node.until([&] { return pods.code(1) == 243; })) << pods.logs();
  EXPECT_THAT(pods.log(1), HasSubstr("this pod may use 1 of the 2 cores"));
}

}  // namespace
}  // namespace mc::pods
