#include <gtest/gtest.h>

#include "common/api/defaults.h"
#include "tests/common/api/error_cases.h"

namespace mc::api {
namespace {

std::vector<std::string> errors_of_update(const json& before, const char* patch) {
  json after = before;
  after.merge_patch(json::parse(patch));
  return test::errors_of(after, before);
}

json stored(const char* patch = "{}") { return with_defaults(test::with_patch(patch)); }

using Errors = std::vector<std::string>;

const std::string kImmutable =
    "Forbidden: field is immutable: to change it, delete the MiniCluster and create it again";

TEST(Update, WhatTheControllerCanApplyMayChange) {
  EXPECT_EQ(errors_of_update(stored(), R"({"spec": {"size": 1, "cleanup": true, "suspend": true,
                                           "ttlSecondsAfterFinished": 60}})"),
            Errors{});
}

// The size of a cluster that bursts is not that of the others.
TEST(Update, TheSizeMayChangeBesideBurstedClustersWithoutOne) {
  const char* const kBurst =
      R"({"spec": {"maxSize": 4, "flux": {"bursting": {"clusters": [{}]}}}})";
  EXPECT_EQ(errors_of_update(stored(kBurst), R"({"spec": {"size": 4}})"), Errors{});
  EXPECT_EQ(errors_of_update(stored(kBurst), R"({"spec": {"size": 1}})"), Errors{});
  // As users wrote it: no default is stored in a list.
  EXPECT_EQ(errors_of_update(test::with_patch(kBurst), R"({"spec": {"size": 3}})"), Errors{});
  EXPECT_EQ(errors_of_update(stored(kBurst), R"({"spec": {"flux": {"bursting": {"clusters": [
                                                    {"name": "burst-0", "size": 2}]}}}})"),
            Errors{"spec.flux.bursting.clusters[0].size: " + kImmutable});
}

TEST(Update, ThePriorityClassMayNotChange) {
  const Errors refused = {"spec.priorityClassName: " + kImmutable};
  const char* const kChange = R"({"spec": {"priorityClassName": "high"}})";
  EXPECT_EQ(errors_of_update(stored(), kChange), refused);
  EXPECT_EQ(errors_of_update(stored(R"({"spec": {"priorityClassName": "low"}})"), kChange),
            refused);
}

TEST(Update, PodsMayChangeUntilTheyHaveStarted) {
  const char* const kChange = R"({"spec": {"pod": {"nodeSelector": {"pool": "b"}}}})";
  const Errors refused = {"spec.pod: " + kImmutable};
  EXPECT_EQ(errors_of_update(stored(R"({"spec": {"suspend": true}})"), kChange), Errors{});
  EXPECT_EQ(errors_of_update(stored(), kChange), refused);
  EXPECT_EQ(errors_of_update(stored(R"({"spec": {"suspend": true},
                                        "status": {"startTime": "2026-01-01T00:00:00Z"}})"),
                             kChange),
            refused);
}

// Earlier versions stored it.
TEST(Update, AHeadlessNameThatIsTheMiniClustersIsNone) {
  const json before = stored(R"({"spec": {"network": {"headlessName": "sample"}}})");
  EXPECT_EQ(errors_of_update(before, R"({"spec": {"network": null}})"), Errors{});
  EXPECT_EQ(errors_of_update(stored(), R"({"spec": {"network": {"headlessName": "sample"}}})"),
            Errors{});
  const Errors refused = {"spec.network.headlessName: " + kImmutable};
  EXPECT_EQ(errors_of_update(before, R"({"spec": {"network": {"headlessName": "x"}}})"), refused);
}

TEST(Update, AQueuesNameMayBeMendedUntilPodsHaveRun) {
  const char* const kChange = R"({"spec": {"jobLabels": {"kueue.x-k8s.io/queue-name": "right"}}})";
  json before = stored(
      R"({"spec": {"jobLabels": {"kueue.x-k8s.io/queue-name": "wrong", "a": "b"}},
          "status": {"phase": "Queued"}})");
  EXPECT_EQ(errors_of_update(before, kChange), Errors{});
  EXPECT_EQ(errors_of_update(before, R"({"spec": {"jobLabels": {"a": "c"}}})"),
            Errors{"spec.jobLabels[a]: " + kImmutable});
  const Errors refused = {"spec.jobLabels[kueue.x-k8s.io/queue-name]: " + kImmutable};
  EXPECT_EQ(
      errors_of_update(before, R"({"spec": {"jobLabels": {"kueue.x-k8s.io/queue-name": null}}})"),
      refused)
      << "a Job without its queue is held for good";
  EXPECT_EQ(errors_of_update(stored(R"({"spec": {"jobLabels": {"a": "b"}}})"), kChange), refused);
  before["status"]["startTime"] = "2026-01-01T00:00:00Z";
  EXPECT_EQ(errors_of_update(before, kChange), refused);
}

TEST(Update, ASizeThatKueueHoldsOnToIsRefusedInItsWords) {
  const auto errors = [](const char* patch) {
    json before = stored(R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}},
                             "spec": {"size": 8, "minSize": 2, "maxSize": 8},
                             "status": {"phase": "Running", "size": 4}})");
    before.merge_patch(json::parse(patch));
    return errors_of_update(before, R"({"spec": {"size": 6}})");
  };
  EXPECT_EQ(
      errors("{}"),
      Errors{
          "spec.size: Forbidden: with minSize, Kueue may have admitted only some of the pods, and "
          "does not let the size change while they run (\"cannot change when partial admission is "
          "enabled and the job is not suspended\"): to change the size, delete the MiniCluster and "
          "create it again"});
  EXPECT_EQ(errors(R"({"status": {"phase": "Starting"}})").size(), 1U);
  EXPECT_EQ(errors(R"({"metadata": {"labels": null},
                       "spec": {"jobLabels": {"kueue.x-k8s.io/queue-name": "q"}}})")
                .size(),
            1U);
  EXPECT_EQ(errors(R"({"status": {"phase": "Queued"}})"), Errors{});
  EXPECT_EQ(errors(R"({"status": null})"), Errors{});
  EXPECT_EQ(errors(R"({"metadata": {"labels": null}})"), Errors{});
}

TEST(Update, EverythingElseIsImmutableAndNamedByItsPath) {
  EXPECT_EQ(errors_of_update(stored(R"({"spec": {"containers": [{"environment": {"A": "1"}}]}})"),
                             R"({"spec": {"tasks": 5, "maxSize": 9, "flux": {"logLevel": 1},
                           "pod": {"labels": {"team": "x"}},
                           "containers": [{"image": "other:1", "runFlux": true,
                                           "environment": {"A": "2"}}]}})"),
            (Errors{"spec.containers[0].environment[A]: " + kImmutable,
                    "spec.containers[0].image: " + kImmutable, "spec.flux.logLevel: " + kImmutable,
                    "spec.maxSize: " + kImmutable, "spec.pod: " + kImmutable,
                    "spec.tasks: " + kImmutable}));
}

TEST(Update, AnotherNumberOfContainersIsOneError) {
  EXPECT_EQ(errors_of_update(stored(), R"({"spec": {"containers": [{"image": "a", "runFlux": true},
                                                                   {"name": "b"}]}})"),
            (Errors{"spec.containers: " + kImmutable}));
}

TEST(Update, AChangeFarBelowTheDeepestFieldIsToldAboveIt) {
  json before = stored(), after = stored();
  json *old_end = &before["spec"]["x"], *new_end = &after["spec"]["x"];
  for (int i = 0; i < 50; ++i) {
    old_end = &(*old_end)["x"];
    new_end = &(*new_end)["x"];
  }
  *old_end = 1;
  *new_end = 2;
  std::string path = "spec";
  for (int i = 0; i < 20; ++i) path += ".x";
  EXPECT_EQ(test::errors_of(after, before), Errors{path + ": " + kImmutable});
  EXPECT_EQ(test::errors_of(before, before), Errors{});
}

TEST(Update, ALeftOutFieldAndANewOneAreBothNamed) {
  EXPECT_EQ(errors_of_update(stored(R"({"spec": {"jobLabels": {"a": "1", "b": "1"}}})"),
                             R"({"spec": {"jobLabels": {"a": null, "c": "1"}}})"),
            (Errors{"spec.jobLabels[a]: " + kImmutable, "spec.jobLabels[c]: " + kImmutable}));
}

TEST(Update, OfEveryLabelTellsAHundredAndThatThereAreMore) {
  json before = stored(), after = stored();
  for (int i = 0; i < 200; ++i) {
    before["spec"]["jobLabels"]["label-" + std::to_string(i)] = "a";
    after["spec"]["jobLabels"]["label-" + std::to_string(i)] = "b";
  }
  const Errors errors = test::errors_of(after, before);
  ASSERT_EQ(errors.size(), 101U);
  EXPECT_EQ(errors.back(), "spec: further errors not shown: at least 1 more");
}

TEST(Update, AComputedFieldThatIsLeftOutKeepsItsOldValue) {
  const json before = stored(R"({"spec": {"maxSize": 8, "network": {"headlessName": "net"}}})");
  EXPECT_EQ(errors_of_update(before, R"({"spec": {"size": 5, "maxSize": null, "network": null}})"),
            Errors{});
  json after = before;
  after["spec"].erase("maxSize");
  after["spec"].erase("network");
  EXPECT_EQ(with_defaults(after, before)["spec"]["maxSize"], 8);
  EXPECT_EQ(with_defaults(after, before)["spec"]["network"]["headlessName"], "net");
}

TEST(Update, WritingOutWhatMeansNotSetChangesNothing) {
  EXPECT_EQ(errors_of_update(stored(), R"({"spec": {"interactive": false, "archive": {},
                                          "services": [], "pod": {"restartPolicy": ""}}})"),
            Errors{});
}

TEST(Update, SizeBeyondMaxSizeSaysWhereMaxSizeCameFrom) {
  EXPECT_EQ(errors_of_update(stored(), R"({"spec": {"size": 3}})"),
            (Errors{"spec.size: Invalid value: 3: must be less than or equal to spec.maxSize (2), "
                    "which was fixed when the MiniCluster was created; maxSize defaults to the "
                    "size at that time"}));
}

TEST(Update, AChangeOfMetadataOnlyPassesEvenOnAnInvalidObject) {
  const json invalid = stored(R"({"spec": {"size": 0}})");
  EXPECT_EQ(errors_of_update(invalid, R"({"metadata": {"finalizers": [], "labels": {"a": "b"}}})"),
            Errors{});
}

TEST(Update, ErrorsThatTheOldObjectHasAreNotHeldAgainstTheNewOne) {
  const json invalid = stored(R"({"spec": {"deadlineSeconds": 0}})");
  EXPECT_EQ(errors_of_update(invalid, R"({"spec": {"size": 1}})"), Errors{});
  EXPECT_EQ(errors_of_update(invalid, R"({"spec": {"size": 0}})"),
            (Errors{"spec.size: Invalid value: 0: must be greater than or equal to 1"}));
}

TEST(Update, NorAreThoseWhoseValueIsHidden) {
  const json invalid =
      stored(R"({"spec": {"maxSize": 4, "flux": {"brokerConfig": "not [ toml"}}})");
  EXPECT_EQ(errors_of_update(invalid, R"({"spec": {"size": 3}})"), Errors{});
}

TEST(Update, BeingDeletedExcusesNothingElse) {
  json before = stored();
  before["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_EQ(errors_of_update(before, R"({"spec": {"tasks": 5}})"),
            (Errors{"spec.tasks: " + kImmutable}));
  EXPECT_EQ(errors_of_update(before, R"({"metadata": {"finalizers": null}})"), Errors{});
}

}  // namespace
}  // namespace mc::api
