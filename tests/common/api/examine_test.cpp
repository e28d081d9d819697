#include "common/api/examine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/api/base_object.h"
#include "tests/common/api/hostile_objects.h"
#include "tests/support/cpu_time.h"

namespace mc::api {
namespace {

TEST(Examine, TellsAHundredErrorsAndHowManyMoreThereAre) {
  EXPECT_EQ(examine(test::with_ports(100)).errors.size(), 100U);
  const Examination out = examine(test::with_ports(102));
  ASSERT_EQ(out.errors.size(), 101U);
  EXPECT_EQ(to_string(out.errors[99]),
            "spec.containers[0].ports[99]: Invalid value: 70000: must be between 1 and 65535, "
            "inclusive");
  EXPECT_EQ(to_string(out.errors[100]), "spec: further errors not shown: at least 2 more");
  EXPECT_EQ(to_string(examine(test::with_ports(1000, "a")).errors.back()),
            "spec: further errors not shown: at least 1 more");
}

TEST(Examine, OfABrokerConfigTellsAHundredErrorsAndThatThereAreMore) {
  EXPECT_EQ(examine(test::with_unknown_broker_keys(100)).errors.size(), 100U);
  const Examination out = examine(test::with_unknown_broker_keys(5'000));
  ASSERT_EQ(out.errors.size(), 101U);
  EXPECT_EQ(to_string(out.errors[100]), "spec: further errors not shown: at least 1 more");
}

TEST(Examine, ABrokerConfigThatNoConfigMapHoldsIsOneError) {
  const Examination out = examine(test::with_unknown_broker_keys(400'000));
  ASSERT_EQ(out.errors.size(), 1U);
  EXPECT_THAT(to_string(out.errors[0]),
              ::testing::StartsWith("spec: Too long: may not be more than 917504 bytes"));
}

TEST(Examine, TellsAHundredWarningsAndHowManyMoreThereAre) {
  json object = test::base_object();
  for (int i = 0; i < 102; ++i) object["spec"]["containers"][0][std::to_string(i)] = 1;
  const Examination out = examine(object);
  ASSERT_EQ(out.warnings.size(), 101U);
  EXPECT_EQ(out.warnings[100], "further warnings not shown: at least 1 more");
}

TEST(Examine, TellsEachErrorShortlyHoweverLongTheNamesAndTextsAre) {
  const std::string longest(1'000'000, 'a');
  json object = test::base_object();
  json& volume = object["spec"]["containers"][0]["volumes"][longest];
  volume = {{"path", longest}, {"configMapName", "c"}};
  for (int i = 0; i < 200; ++i) volume["items"]["!" + std::to_string(i)] = longest;
  const Examination out = examine(object);
  ASSERT_EQ(out.errors.size(), 101U);
  for (const FieldError& error : out.errors) EXPECT_LT(to_string(error).size(), 6000U);
}

double seconds_for(std::size_t count, const json& port) {
  const json object = test::with_ports(count, port), old = test::with_ports(count, 70001);
  return test::cpu_seconds([&] {
    EXPECT_EQ(examine(object).errors.size(), 101U);
    EXPECT_EQ(examine(object, old).errors.size(), 101U);
  });
}

// The other values: the object, its size and the list of containers; the container, its command,
// image and list of ports.
constexpr std::size_t kValuesBeside = 7;

TEST(Examine, OfASpecOfTooManyValuesTellsOnlyThat) {
  EXPECT_EQ(to_string(examine(test::with_ports(10'000 - kValuesBeside)).errors[0]),
            "spec.containers[0].ports[0]: Invalid value: 70000: must be between 1 and 65535, "
            "inclusive");
  for (const std::size_t count : {10'001 - kValuesBeside, std::size_t{500'000}}) {
    const Examination out = examine(test::with_ports(count));
    ASSERT_EQ(out.errors.size(), 1U);
    EXPECT_EQ(to_string(out.errors[0]),
              "spec: Too many: \"more than 10000\": must have at most 10000 values, including "
              "those in its lists and objects");
  }
}

TEST(Examine, TakesTimeInProportionToTheObject) {
  for (const json& port : {json(70000), json("a"), json::object()}) {
    // 8 times the input takes 8 times as long; quadratic time would take 64 times as long.
    EXPECT_LT(seconds_for(8'000, port), 24 * seconds_for(1'000, port)) << port;
  }
}

}  // namespace
}  // namespace mc::api
