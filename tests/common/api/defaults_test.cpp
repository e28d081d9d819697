#include "common/api/defaults.h"

#include <gtest/gtest.h>

#include "tests/common/api/base_object.h"

namespace mc::api {
namespace {

json spec_of(const char* patch) { return with_defaults(test::with_patch(patch))["spec"]; }

TEST(Defaults, TheLeastSpecComesBackWhole) {
  const json spec = spec_of("{}");
  EXPECT_EQ(spec["size"], 2);
  EXPECT_EQ(spec["maxSize"], 2);
  EXPECT_EQ(spec["tasks"], 1);
  EXPECT_EQ(spec["deadlineSeconds"], 31500000);
  EXPECT_EQ(spec["cleanup"], false);
  EXPECT_EQ(spec["network"]["headlessName"], "sample");
  EXPECT_EQ(spec["containers"][0]["runFlux"], true);
  EXPECT_EQ(spec["flux"]["logLevel"], 6);
  EXPECT_EQ(spec["flux"]["connectTimeout"], "5s");
  EXPECT_EQ(spec["flux"]["scheduler"]["queuePolicy"], "fcfs");
  EXPECT_EQ(spec["flux"]["container"]["name"], "flux-view");
  EXPECT_EQ(spec["flux"]["container"]["mountPath"], "/mnt/flux");
  EXPECT_EQ(spec["flux"]["container"]["image"],
            "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble");
  EXPECT_FALSE(spec.contains("logging"));
  EXPECT_FALSE(spec["flux"].contains("bursting"));
  EXPECT_FALSE(spec.contains("backoffLimit"));
}

TEST(Defaults, AnAbsentSizeIsOne) {
  EXPECT_EQ(spec_of(R"({"spec": {"size": null}})")["size"], 1);
  EXPECT_EQ(spec_of(R"({"spec": {"size": null}})")["maxSize"], 1);
}

TEST(Defaults, AreIdempotent) {
  for (const char* patch :
       {"{}", R"({"spec": {"size": 0}})", R"({"spec": 5})",
        R"({"spec": {"flux": {"bursting": {"clusters": [{}, {"name": "x", "size": 0}]}}}})",
        R"({"spec": {"containers": [{"volumes": {"a": {"path": "/a"}, "b": {}}}, {}]}})"}) {
    SCOPED_TRACE(patch);
    const json once = with_defaults(test::with_patch(patch));
    EXPECT_EQ(with_defaults(once), once);
  }
}

TEST(Defaults, NothingThatIsThereIsRemovedOrChangedUnlessItMeansNotSet) {
  const json object = test::with_patch(
      R"({"spec": {"unknown": {"deep": [1]}, "maxSize": 9, "flux": {"connectTimeout": "7s"},
          "containers": [{"runFlux": false}, {"name": "b"}],
          "network": {"headlessName": "", "other": 1}}})");
  const json after = with_defaults(object);
  for (const json& operation : json::diff(object, after)) {
    EXPECT_NE(operation["op"], "remove") << operation;
    if (operation["op"] == "replace") {
      EXPECT_EQ(operation["path"], "/spec/network/headlessName") << operation;
    }
  }
  EXPECT_EQ(after["spec"]["unknown"], json::parse(R"({"deep": [1]})"));
  EXPECT_EQ(after["spec"]["containers"][0]["runFlux"], false);
}

TEST(Defaults, BurstedClustersGetTheSizeAndANumberedName) {
  const json spec =
      spec_of(R"({"spec": {"flux": {"bursting": {"clusters": [{}, {"name": "x", "size": 7}]}}}})");
  EXPECT_EQ(spec["flux"]["bursting"]["clusters"],
            json::parse(R"([{"name": "burst-0", "size": 2}, {"name": "x", "size": 7}])"));
}

TEST(Defaults, AVolumeWithNothingButAPathIsAnEmptyDir) {
  const json volumes = spec_of(R"({"spec": {"containers": [{"volumes": {"a": {"path": "/a"},
                  "b": {"path": "/b", "hostPath": "/b"}}}]}})")["containers"][0]["volumes"];
  EXPECT_EQ(volumes["a"]["emptyDir"], true);
  EXPECT_EQ(volumes["b"]["emptyDir"], false);
}

TEST(Defaults, ALeadBrokerGetsItsPortOnlyWhereItIsThere) {
  EXPECT_EQ(spec_of(R"({"spec": {"flux": {"bursting": {"leadBroker":
                        {"name": "a", "address": "b", "size": 1, "port": 0}}}}})")
                ["flux"]["bursting"]["leadBroker"]["port"],
            8050);
  EXPECT_FALSE(spec_of(R"({"spec": {"flux": {"bursting": {}}}})")["flux"]["bursting"].contains(
      "leadBroker"));
}

TEST(Defaults, WithoutANameThereIsNoHeadlessNameYet) {
  const json spec = spec_of(R"({"metadata": {"name": null, "generateName": "a-"}})");
  EXPECT_FALSE(spec.contains("network") && spec["network"].contains("headlessName"));
}

}  // namespace
}  // namespace mc::api
