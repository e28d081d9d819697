#include "services/controller/cache/watches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <stop_token>
#include <string>
#include <utility>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "services/controller/cluster/read.h"
#include "tests/common/kube/fixed_answer.h"

namespace mc::controller {
namespace {

using ::testing::HasSubstr;

// The API server's discovery answer for the group.
json group(std::initializer_list<const char*> versions) {
  json out = {{"kind", "APIGroup"}, {"name", "kueue.x-k8s.io"}, {"versions", json::array()}};
  for (const char* version : versions) {
    out["versions"].push_back(
        {{"groupVersion", std::string("kueue.x-k8s.io/") + version}, {"version", version}});
  }
  return out;
}

TEST(WorkloadWatch, TakesTheNewestVersionThatBothSidesKnow) {
  const auto version = [](const json& answer) {
    const auto found = served_workloads(answer);
    return found ? std::string(found->version) : "";
  };
  EXPECT_EQ(version(group({"v1beta2", "v1beta1", "v1alpha1"})), "v1beta2");
  EXPECT_EQ(version(group({"v1beta1", "v1alpha1"})), "v1beta1");
  EXPECT_EQ(version(group({"v1alpha1"})), "");
  EXPECT_EQ(version(json::object()), "");
  EXPECT_EQ(version(json()), "");
}

// The first line of the log.
std::string logged_for(kube::Response response) {
  kube::FixedAnswer server(std::move(response));
  kube::Store<Workload> store(read_workload);
  const SystemClock clock;
  std::stop_source stop;
  std::string out;
  kube::InformerHooks hooks;
  hooks.log = [&](const std::string& sentence) {
    out = sentence;
    stop.request_stop();
  };
  follow_workloads(server, store, clock, "", hooks, stop.get_token());
  return out;
}

TEST(WorkloadWatch, AnErrorIsNotTakenForAClusterWithoutKueue) {
  EXPECT_EQ(logged_for({.status = 404, .body = ""}),
            "The API server serves no Workloads of Kueue; checking again twice a minute");
  EXPECT_THAT(logged_for({.status = 500, .body = ""}), HasSubstr(": 500"));
  EXPECT_THAT(logged_for({.status = 200, .body = group({"v9"}).dump()}),
              HasSubstr("only in versions that this controller does not know"));
}

}  // namespace
}  // namespace mc::controller
