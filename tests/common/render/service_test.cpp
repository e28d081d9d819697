#include "common/render/service.h"

#include <gtest/gtest.h>

#include "tests/common/render/cases.h"

namespace mc::render {
namespace {

using test::cluster;

TEST(Services, HeadlessOnePublishesNamesBeforeReadiness) {
  const json spec = headless_service(cluster())["spec"];
  EXPECT_EQ(spec, json::parse(R"({"clusterIP": "None", "publishNotReadyAddresses": true,
    "selector": {"flux-framework.org/minicluster-uid": "6f2a1c9e-1b7d-4c55-9f5e-0a1b2c3d4e5f"}})"));
}

TEST(Services, FieldsOfTheNetworkAct) {
  test::check(
      {
          {"named as the cluster", [](auto&) {}, "/metadata/name", "flux-sample"},
          {"all pods", [](auto&) {}, "/spec/selector/batch.kubernetes.io~1job-completion-index"},
          {"still headless", [](auto& s) { s.flux.minimal_service = true; }, "/spec/clusterIP",
           "None"},
          {"the broker's port", [](auto& s) { s.flux.minimal_service = true; }, "/spec/ports",
           json::parse(
               R"([{"name": "flux", "port": 8050, "targetPort": 8050, "protocol": "TCP"}])")},
      },
      headless_service);
}

TEST(Services, ASidecarsHasItsPortsEachOnceAndSorted) {
  api::MiniCluster spec = cluster();
  spec.spec.containers[0].ports = {8080};  // no Service for the container that runs Flux
  spec.spec.containers.push_back(test::sidecar("web", "nginx"));
  EXPECT_TRUE(sidecar_services(spec).empty());
  spec.spec.containers[1].ports = {443, 80, 443};
  spec.spec.containers.push_back(test::sidecar("cache", "redis:7", "redis-server"));
  spec.spec.containers[2].ports = {6379};
  const std::vector<json> services = sidecar_services(spec);
  ASSERT_EQ(services.size(), 2U);
  EXPECT_EQ(services[0]["metadata"]["name"], "web");
  EXPECT_EQ(services[0]["spec"]["ports"], json::parse(R"([
      {"name": "port-80", "port": 80, "targetPort": 80, "protocol": "TCP"},
      {"name": "port-443", "port": 443, "targetPort": 443, "protocol": "TCP"}])"));
  EXPECT_EQ(services[0]["spec"]["selector"]["batch.kubernetes.io/job-name"], "flux-sample");
  EXPECT_EQ(services[1]["metadata"]["name"], "cache");
}

}  // namespace
}  // namespace mc::render
