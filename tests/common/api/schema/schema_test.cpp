#include "common/api/schema/schema.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/api/model/minicluster.h"
#include "tests/common/api/base_object.h"

namespace mc::api {
namespace {

std::vector<std::string> missing(const std::set<std::string>& from,
                                 const std::set<std::string>& in) {
  std::vector<std::string> out;
  std::ranges::set_difference(from, in, std::back_inserter(out));
  return out;
}

TEST(Schema, EveryPropertyOfTheCrdIsReadByTheParser) {
  EXPECT_EQ(missing(property_paths(), parsed_paths()), std::vector<std::string>{});
}

TEST(Schema, TheParserReadsNoPropertyThatTheCrdLacks) {
  EXPECT_EQ(missing(parsed_paths(), property_paths()), std::vector<std::string>{});
}

TEST(Schema, AnUnknownFieldIsNamedWithTheNearestOne) {
  const json object = test::with_patch(R"({"spec": {"sise": 1, "zzzzzzzzzz": 1,
      "pod": {"resources": {"anything": 1}},
      "containers": [{"imagePullpolicy": "Always", "volumes": {"data": {"claim": "x"}}}]}})");
  std::vector<std::string> told;
  for (const UnknownField& field : unknown_fields(object)) {
    EXPECT_FALSE(field.embedded);
    told.push_back(field.path.str() + ": " + field.detail);
  }
  EXPECT_EQ(told, (std::vector<std::string>{
                      "spec.containers[0].imagePullpolicy: unknown field, did you mean "
                      "\"imagePullPolicy\"?",
                      "spec.containers[0].volumes[data].claim: unknown field, did you "
                      "mean \"claimName\"?",
                      "spec.sise: unknown field, did you mean \"size\"?",
                      "spec.zzzzzzzzzz: unknown field, must be one of archive, "
                      "backoffLimit, cleanup, containers, deadlineSeconds, flux, "
                      "interactive, jobAnnotations, jobLabels, logging, managedBy, "
                      "maxSize, minSize, network, pod, services, shareProcessNamespace, "
                      "size, suspend, tasks, ttlSecondsAfterFinished"}));
}

TEST(Schema, AValueOfAWrongTypeIsNotShownWhereItMayHoldASecret) {
  json object = test::with_patch(
      R"({"spec": {"containers": {"image": "a", "environment": {"TOKEN": "secret"}},
                   "network": ["a", {"b": 1}]}})");
  std::vector<std::string> told;
  for (const FieldError& error : remove_misshapen(object)) told.push_back(message(error));
  EXPECT_EQ(told, (std::vector<std::string>{
                      "Invalid value: must be an array; start each item with a dash",
                      "Invalid value: [\"a\",{\"b\":1}]: must be an object with disableAffinity, "
                      "headlessName"}));
}

TEST(Schema, NotSetValuesGoAndMapEntriesAndEmbeddedTypesStay) {
  const json object = test::with_patch(R"({"spec": {"interactive": false, "archive": {"path": ""},
      "jobLabels": {"a": ""}, "pod": {"securityContext": {"runAsNonRoot": false}},
      "containers": [{"environment": {"EMPTY": ""}, "command": ""}]}})");
  EXPECT_EQ(without_unset(object)["spec"], json::parse(R"({"size": 2, "jobLabels": {"a": ""},
                            "pod": {"securityContext": {"runAsNonRoot": false}},
                            "containers": [{"environment": {"EMPTY": ""}}]})"));
}

}  // namespace
}  // namespace mc::api
