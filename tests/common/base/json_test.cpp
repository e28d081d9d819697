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

}  // namespace
}  // namespace mc
