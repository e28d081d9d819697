#include "tests/integration/lifecycle_story.h"

// MiniClusters that use a headless Service of somebody else (spec.network.useExistingService).
namespace mc::test {
namespace {

class ExistingService : public LifecycleStory {
 protected:
  static json service(const json& spec) {
    json out = {{"apiVersion", "v1"},
                {"kind", "Service"},
                {"metadata", {{"name", "ensemble"}}},
                {"spec",
                 {{"clusterIP", "None"},
                  {"publishNotReadyAddresses", true},
                  {"selector", {{"ensemble", "a"}}}}}};
    out["spec"].merge_patch(spec);
    return out;
  }

  void create_member(const std::string& name, const char* label = "a") {
    create(minicluster(name,
                       {{"network", {{"headlessName", "ensemble"}, {"useExistingService", true}}},
                        {"pod", {{"labels", {{"ensemble", label}}}}}}));
  }
};

TEST_F(ExistingService, IsSharedAndBelongsToNobody) {
  create(service(json::object()));
  for (const char* name : {"one", "two"}) {
    create_member(name);
    ASSERT_TRUE(has_condition(kubectl, name, "ObjectsReady", "True"));
    EXPECT_EQ(kubectl.get({"job", name})["spec"]["template"]["spec"]["subdomain"], "ensemble");
    EXPECT_TRUE(kubectl.get({"service", name}).is_null());
  }
  kubectl.must({"delete", "minicluster", "one"});
  const json kept = kubectl.get({"service", "ensemble"});
  EXPECT_FALSE(kept["metadata"].contains("ownerReferences"));
  EXPECT_FALSE(kept["metadata"].contains("labels"));
}

TEST_F(ExistingService, IsWaitedForAndToldUntilItCanWork) {
  const std::string unusable = "ServiceUnusable: Service ensemble ";
  create_member("waits");
  ASSERT_TRUE(comes("waits", "ObjectsReady", "False", unusable + "does not exist"));
  create(service({{"selector", {{"ensemble", "b"}}}, {"publishNotReadyAddresses", nullptr}}));
  ASSERT_TRUE(comes("waits", "ObjectsReady", "False", unusable + "needs publishNotReadyAddresses"));
  const auto mend = [&](const json& spec) {
    kubectl.patch("service", "ensemble", {{"spec", spec}});
  };
  mend({{"publishNotReadyAddresses", true}});
  ASSERT_TRUE(comes("waits", "ObjectsReady", "False",
                    unusable + "selects ensemble=b, which the pods do not have"));
  EXPECT_TRUE(kubectl.get({"job", "waits"}).is_null());
  mend({{"selector", {{"ensemble", "a"}}}});
  EXPECT_TRUE(has_condition(kubectl, "waits", "ObjectsReady", "True"));
}

TEST_F(ExistingService, WithAnAddressIsNotHeadless) {
  create(service({{"clusterIP", nullptr}, {"ports", {{{"port", 1}}}}}));
  create_member("address");
  EXPECT_TRUE(comes("address", "ObjectsReady", "False",
                    "Service ensemble is not headless: it needs clusterIP None"));
}

}  // namespace
}  // namespace mc::test
