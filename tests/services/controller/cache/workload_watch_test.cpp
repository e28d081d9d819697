#include "services/controller/cache/workload_watch.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace mc::controller {
namespace {

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

}  // namespace
}  // namespace mc::controller
