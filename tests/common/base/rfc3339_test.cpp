#include "common/base/rfc3339.h"

#include <gtest/gtest.h>

namespace mc {
namespace {

using std::chrono::sys_days;
using TimePoint = std::chrono::system_clock::time_point;
using namespace std::chrono_literals;

TEST(Rfc3339, IsReadAsItIsWritten) {
  for (const char* text : {"1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2026-01-31T08:00:00Z",
                           "2028-02-29T23:59:59Z", "2262-04-11T23:47:16Z"}) {
    const auto time = parse_rfc3339(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(rfc3339(*time), text);
  }
  EXPECT_EQ(parse_rfc3339("2026-01-31T08:00:00Z"), TimePoint(sys_days(2026y / 1 / 31) + 8h));
}

TEST(Rfc3339, AFractionOfASecondIsDroppedAndAnOffsetIsMinded) {
  for (const char* text :
       {"2026-01-31T08:00:00.5Z", "2026-01-31T08:00:00.123456789Z", "2026-01-31T09:00:00+01:00",
        "2026-01-31T02:30:00.999-05:30", "2026-01-31T08:00:00-00:00"}) {
    EXPECT_EQ(parse_rfc3339(text), parse_rfc3339("2026-01-31T08:00:00Z")) << text;
  }
}

TEST(Rfc3339, ATimeBeyondTheClocksRangeIsTheEndOfTheRange) {
  EXPECT_GT(parse_rfc3339("9999-12-31T23:59:59Z"), parse_rfc3339("2262-04-11T00:00:00Z"));
  EXPECT_GT(parse_rfc3339("2262-04-11T23:47:17Z"), parse_rfc3339("2262-04-11T00:00:00Z"));
  EXPECT_LT(parse_rfc3339("1600-01-01T00:00:00Z"), parse_rfc3339("1678-01-01T00:00:00Z"));
  EXPECT_TRUE(parse_rfc3339("1600-01-01T00:00:00Z"));
}

TEST(Rfc3339, AnyOtherTextIsRefused) {
  for (const char* text : {"",
                           "x",
                           " 2026-01-03T08:00:00Z",
                           "2026-1-3T8:0:0Z",
                           " 2026-1-3T8:0:0Z",
                           "2026-02-31T08:00:00Z",
                           "2027-02-29T08:00:00Z",
                           "2026-01-31T08:00:60Z",
                           "2026-01-31T24:00:00Z",
                           "2026-01-31T08:00:00",
                           "2026-01-31T08:00:00Zx",
                           "2026-01-31T08:00:00.Z",
                           "2026-01-31T08:00:00.5",
                           "2026-01-31T08:00:00.5xZ",
                           "2026-01-31T08:00:00+0100",
                           "2026-01-31T08:00:00+24:00",
                           "2026-01-31T08:00:00+-1:00",
                           "2026-01-31T08:00:00+01:60",
                           "2026-01-31T08:00:00*01:00",
                           "+026-01-31T08:00:00Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
  EXPECT_FALSE(parse_rfc3339(std::string("2026-01-31T08:00:00Z\0x", 22)));
}

}  // namespace
}  // namespace mc
