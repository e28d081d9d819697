#include "common/base/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace mc {
namespace {

TEST(IntegerAt, IsTheFallbackUnlessThereIsAnIntegerThatFits) {
  const json object = json::parse(R"({"most": 9223372036854775807, "least": -9223372036854775808,
      "more": 9223372036854775808, "all": 18446744073709551615, "text": "1", "part": 1.5})");
  EXPECT_EQ(integer_at(object, {"most"}, 7), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_at(object, {"least"}, 7), std::numeric_limits<std::int64_t>::min());
  for (const char* name : {"more", "all", "text", "part", "none"}) {
    EXPECT_EQ(integer_at(object, {name}, 7), 7) << name;
  }
}

TEST(ObjectIn, IsTheMemberIfItIsAnObjectAndElseANewOne) {
  json object = {{"full", {{"a", 1}}}, {"text", "b"}};
  EXPECT_EQ(object_in(object, "full"), json({{"a", 1}}));
  object_in(object, "text")["c"] = 2;
  object_in(object_in(object, "new"), "below");
  EXPECT_EQ(object, json::parse(R"({"full": {"a": 1}, "text": {"c": 2}, "new": {"below": {}}})"));
  json none;
  EXPECT_EQ(object_in(none, "new"), json::object());
}

}  // namespace
}  // namespace mc
