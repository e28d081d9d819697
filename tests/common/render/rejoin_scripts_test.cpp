#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"

// A follower whose broker has ended once, on a node whose network was away.
namespace mc::render {
namespace {

using test::Outcome;
using test::PodDir;
using ::testing::HasSubstr;
using ::testing::Not;

// DNS as the lines of system/dns say, of which it uses up all but the last one: the address that
// the pod's name has, `lost` if no name can be resolved, `none` if only this pod's cannot.
constexpr const char* kGetent = R"sh(#!/bin/sh
dns=$mount/../system/dns
read -r answer <"$dns"
echo "[getent][$*]" >>"$FAKE_FLUX/calls"
case $1 in
  -s) asked=own ;;
  *) asked=lead ;;
esac
if { [ "$asked" = own ] || [ "$answer" = lost ]; } && [ "$(grep -c '' "$dns")" -gt 1 ]; then
  sed -i 1d "$dns"
fi
case $asked,$answer in
  *,lost | own,none) exit 2 ;;
  own,*) echo "$answer STREAM" ;;
  *) echo "10.244.0.2 STREAM" ;;
esac
)sh";

class Rejoin : public ::testing::TestWithParam<bool> {
 protected:
  // How the follower with the address 10.244.1.3 goes on after its broker has ended once.
  Outcome run(const std::string& answers, const std::string& script = test::kBroker) {
    pod_.write("record/followers", "1\n");
    pod_.write("system/dns", answers);
    pod_.write("system/etc/hosts",
               "127.0.0.1\tlocalhost\n"
               "10.244.1.3\tflux-sample-3.flux-sample.lab.svc.cluster.local\tflux-sample-3\n");
    pod_.write("bin/getent", kGetent);
    std::filesystem::permissions(pod_.file("bin/getent"), std::filesystem::perms::owner_all);
    return pod_.run("export HOSTNAME=flux-sample-3\n" + script, 3);
  }
  bool has_started_again() const {
    const std::string calls = pod_.calls();
    return calls.find("[start]") != calls.rfind("[start]");
  }

  const PodDir pod_{test::cluster(), GetParam()};
};

TEST_P(Rejoin, StartsAtOnceIfItsNameIsStillItsOwn) {
  const Outcome outcome = run("10.244.1.3\n");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(has_started_again());
  EXPECT_THAT(outcome.out, Not(HasSubstr("the broker waits")));
  EXPECT_THAT(pod_.calls(),
              HasSubstr("[getent][ahosts flux-sample-0.flux-sample.lab.svc.cluster.local]\n"
                        "[getent][-s dns ahosts flux-sample-3.flux-sample.lab.svc.cluster.local]"));
}

TEST_P(Rejoin, StartsIfPodsHaveNoNames) {
  EXPECT_EQ(run("none\n").code, 0);
  EXPECT_TRUE(has_started_again());
}

TEST_P(Rejoin, WaitsForTheNetwork) {
  const Outcome outcome = run("lost\nlost\n10.244.1.3\n");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the broker waits"));
  EXPECT_TRUE(has_started_again());
}

TEST_P(Rejoin, WaitsUntilItIsEndedIfAnotherPodHasItsName) {
  const Outcome outcome =
      run("lost\n10.244.2.7\n", test::broker_told_to_end_once_called("dns ahosts flux-sample-3"));
  EXPECT_THAT(outcome.out, HasSubstr("code 249\n")) << outcome.err;
  EXPECT_FALSE(has_started_again());
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, Rejoin, ::testing::Bool(), test::shell_name);

}  // namespace
}  // namespace mc::render
