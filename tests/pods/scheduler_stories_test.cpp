#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pods/story.h"

// Which scheduler Flux loads, with and without Fluxion installed, and with which options.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Scheduler = WithFlux;

// The output of `flux module list` in a MiniCluster of one pod with Flux in its image.
std::string modules(bool with_fluxion, const api::Scheduler& scheduler) {
  Node node;
  api::MiniCluster cluster = in_image(launcher(node, "flux module list; flux run hostname", 1));
  cluster.spec.flux.scheduler = scheduler;
  if (!with_fluxion) {
    // The files by which flux-modprobe(1) finds it, and its own scripts.
    for (const char* folder : {"modprobe", "rc1.d", "rc3.d"}) {
      node.machine().images[kImageWithFlux].mounts.push_back(
          {node.new_folder("nothing"), std::string("/opt/software/flux/etc/flux/") + folder});
    }
  }
  Pods pods(node, cluster);
  EXPECT_TRUE(end_with(pods, {0}));
  EXPECT_THAT(pods.log(0), HasSubstr("\nflux-sample-0\n"));
  return pods.log(0);
}

TEST_F(Scheduler, IsFluxionWhereItIsInstalled) {
  EXPECT_THAT(modules(true, {}), HasSubstr("\nsched-fluxion-qmanager"));
  EXPECT_THAT(modules(false, {}), HasSubstr("\nsched-simple"));
}

TEST_F(Scheduler, IsTheSimpleOneWhereThatIsAskedFor) {
  api::Scheduler simple;
  simple.simple = true;
  for (const bool with_fluxion : {true, false}) {
    SCOPED_TRACE(with_fluxion);
    const std::string list = modules(with_fluxion, simple);
    EXPECT_THAT(list, HasSubstr("\nsched-simple"));
    EXPECT_THAT(list, Not(HasSubstr("\nsched-fluxion-qmanager")));
  }
}

}  // namespace
}  // namespace mc::pods
