#include <gtest/gtest.h>

#include "common/api/defaults.h"
#include "common/api/examine.h"
#include "tests/common/api/base_object.h"

namespace mc::api {
namespace {

std::vector<std::string> errors_of_update(const json& before, const char* patch) {
  json after = before;
  after.merge_patch(json::parse(patch));
  std::vector<std::string> out;
  for (const FieldError& error : examine(after, before).errors) out.push_back(to_string(error));
  return out;
}

json stored(const char* patch = "{}") { return with_defaults(test::with_patch(patch)); }

using Errors = std::vector<std::string>;

const std::string kImmutable =
    "Forbidden: field is immutable: delete the MiniCluster and create it again to change it";

TEST(Update, WhatTheControllerCanApplyMayChange) {
  EXPECT_EQ(errors_of_update(stored(), R"({"spec": {"size": 1, "cleanup": true, "suspend": true,
                                           "ttlSecondsAfterFinished": 60}})"),
            Errors{});
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
                    "which was fixed when the MiniCluster was created; where maxSize was not given "
                    "it is the size of then"}));
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
