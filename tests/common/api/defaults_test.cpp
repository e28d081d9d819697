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
  EXPECT_FALSE(spec.contains("network"));
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
          "containers": [{"runFlux": false, "image": ""}, {"name": "b"}],
          "network": {"headlessName": "", "other": 1}}})");
  const json after = with_defaults(object);
  for (const json& operation : json::diff(object, after)) {
    EXPECT_NE(operation["op"], "remove") << operation;
    if (operation["op"] == "replace") {
      EXPECT_EQ(operation["path"], "/spec/containers/0/image") << operation;
    }
  }
  EXPECT_EQ(after["spec"]["network"], object["spec"]["network"]);
  EXPECT_EQ(after["spec"]["unknown"], json::parse(R"({"deep": [1]})"));
  EXPECT_EQ(after["spec"]["containers"][0]["runFlux"], false);
}

TEST(Defaults, BurstedClustersGetMaxSizeAndANumberedName) {
  const auto clusters = [](const char* patch) {
    json object = test::with_patch(
        R"({"spec": {"flux": {"bursting": {"clusters": [{}, {"name": "x", "size": 7}]}}}})");
    object.merge_patch(json::parse(patch));
    return with_defaults(object)["spec"]["flux"]["bursting"]["clusters"];
  };
  EXPECT_EQ(clusters("{}"),
            json::parse(R"([{"name": "burst-0", "size": 2}, {"name": "x", "size": 7}])"));
  EXPECT_EQ(clusters(R"({"spec": {"maxSize": 5}})"),
            json::parse(R"([{"name": "burst-0", "size": 5}, {"name": "x", "size": 7}])"));
}

TEST(Defaults, AVolumeWithNothingButAPathIsAnEmptyDir) {
  const json volumes = spec_of(R"({"spec": {"containers": [{"volumes": {"a": {"path": "/a"},
                  "b": {"path": "/b", "hostPath": "/b"}}}]}})")["containers"][0]["volumes"];
  EXPECT_EQ(volumes["a"]["emptyDir"], true);
  EXPECT_FALSE(volumes["b"].contains("emptyDir"));
}

TEST(Defaults, ALeadBrokerGetsItsPortOnlyWhereItIsThere) {
  EXPECT_EQ(spec_of(R"({"spec": {"flux": {"bursting": {"leadBroker":
                        {"name": "a", "address": "b", "size": 1, "port": 0}}}}})")
                ["flux"]["bursting"]["leadBroker"]["port"],
            8050);
  EXPECT_FALSE(spec_of(R"({"spec": {"flux": {"bursting": {}}}})")["flux"]["bursting"].contains(
      "leadBroker"));
}

// The CRD requires them, as the public operator's does, and takes what means not set.
TEST(Defaults, WhatALeadBrokerNeedNotSayIsStoredAsNotSet) {
  const json object = test::with_patch(R"({"spec": {"flux": {"bursting": {
      "hostlist": "login,sample-[0-1]", "leadBroker": {"address": "login"}}}}})");
  Additions additions;
  const json all = with_defaults(object, nullptr, &additions);
  const json stored = object.patch(json::parse(additions.patch()));
  EXPECT_EQ(stored["spec"]["flux"]["bursting"]["leadBroker"],
            json::parse(R"({"address": "login", "name": "", "port": 8050, "size": 0})"));
  EXPECT_EQ(spec_of(R"({"spec": {"flux": {"bursting": {"leadBroker": {}}}}})")["flux"]["bursting"]
                                                                              ["leadBroker"],
            json::parse(R"({"address": "", "name": "", "port": 8050, "size": 0})"));
}

TEST(Defaults, TheAdditionsMakeThemFromTheObject) {
  for (const char* text : {
           R"({"metadata": {"name": "a"}})",
           R"({"metadata": {"name": "a"}, "spec": null})",
           R"({"spec": {"size": null, "tasks": 0, "cleanup": "", "flux": null, "network": []}})",
           R"({"metadata": {"name": "a"}, "spec": {"size": 3, "network": {"headlessName": ""},
               "flux": {"scheduler": {}, "container": {"image": ""},
                        "bursting": {"clusters": [{}, {"name": "x", "size": 0}, 5]}}}})",
           R"({"spec": {"flux": {"bursting": {"leadBroker": {"name": null, "size": 3}}}}})",
           R"({"spec": {"containers": [{"volumes": {"a/b~\"": {"path": "/a"}, "b": {}}}, {}],
               "services": [{"volumes": {"c": {"path": "/c", "emptyDir": false}}}]}})",
       }) {
    SCOPED_TRACE(text);
    const json object = json::parse(text);
    Additions additions;
    const json after = with_defaults(object, nullptr, &additions);
    EXPECT_EQ(after, with_defaults(object));
    const json stored = object.patch(json::parse(additions.patch()));
    EXPECT_EQ(with_defaults(stored), after);
    Additions none;
    with_defaults(stored, nullptr, &none);
    EXPECT_EQ(none.patch(), "");
  }
}

TEST(Additions, AreOneOperationForEachOutermostValue) {
  json object = json::parse(R"({"a/b~c": {}, "old": null, "same": 1})");
  const Place root("");
  Additions additions;
  EXPECT_EQ(additions.patch(), "");
  set_default(object, root, "same", 1, &additions);
  set_default(object, root, "old", json::object(), &additions);
  set_default(object["old"], root / "old", "within", 1, &additions);
  set_default(object["a/b~c"], root / "a/b~c", "\"d", "x", &additions);
  set_default(object["a/b~c"], root / "a/b~c", "\"d", "y", &additions);
  EXPECT_EQ(json::parse(additions.patch()), json::parse(R"([
    {"op": "replace", "path": "/old", "value": {"within": 1}},
    {"op": "add", "path": "/a~1b~0c/\"d", "value": "y"}])"));
}

// `kubectl apply` compares lists as a whole, and says `configured` each time if the stored one has
// more than the file.
TEST(Defaults, NoneIsStoredInAList) {
  const json object = test::with_patch(
      R"({"spec": {"size": null, "flux": {"bursting": {"clusters": [{}]}},
          "containers": [{"image": null, "volumes": {"a": {"path": "/a"}}}],
          "services": [{"name": "db"}]}})");
  Additions additions;
  const json all = with_defaults(object, nullptr, &additions);
  const json stored = object.patch(json::parse(additions.patch()));
  EXPECT_EQ(stored["spec"]["size"], 1);
  for (const char* list : {"/spec/containers", "/spec/services", "/spec/flux/bursting/clusters"}) {
    const json::json_pointer at(list);
    EXPECT_EQ(stored[at], object[at]);
    EXPECT_NE(all[at], object[at]);
  }
}

TEST(Defaults, NothingThatFollowsFromTheNameIsStored) {
  const json object = with_defaults(test::with_patch("{}"));
  EXPECT_FALSE(dump(object["spec"]).contains("sample"));
  EXPECT_EQ(comparable(object)["spec"]["network"]["headlessName"], "sample");
  const json named = test::with_patch(R"({"spec": {"network": {"headlessName": "hpc"}}})");
  EXPECT_EQ(comparable(named), without_unset(named));
  EXPECT_EQ(comparable(object, kFluxSetupKind), without_unset(object, kFluxSetupKind));
  for (const char* text : {"{}", "[]", R"({"metadata": {"name": "a"}, "spec": 5})",
                           R"({"metadata": {"name": "a"}, "spec": {"network": 5}})"}) {
    EXPECT_EQ(comparable(json::parse(text)), without_unset(json::parse(text)));
  }
}

}  // namespace
}  // namespace mc::api
