#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include "common/base/json.h"

namespace mc {
namespace {

std::string by_library(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

TEST(Dump, IsThatOfTheLibraryForEachKindOfValue) {
  for (const char* text :
       {"null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808",
        "18446744073709551615", "1.5", "1e300", "\"\"", "[]", "{}", "[1,[2,{}],\"a\"]",
        R"({"": "", "a{": [{"b,": null}], "c": {"d": {}}})"}) {
    const json value = json::parse(text);
    EXPECT_EQ(dump(value), by_library(value)) << text;
    EXPECT_EQ(dump(value, 2), by_library(value, 2)) << text;
  }
  const json none(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(dump(none), "null");
}

TEST(Dump, IsThatOfTheLibraryForEachByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = "a" + std::string(1, static_cast<char>(byte)) + "b";
    EXPECT_EQ(dump(text), by_library(text)) << byte;
    EXPECT_EQ(dump({{text, 1}}), by_library({{text, 1}})) << byte;
  }
}

std::string any_text(std::mt19937& random) {
  static constexpr const char* kPieces[] = {"plain ",     "\"",   "\\",           "\n",
                                            "\x01",       "\x7f", "\u00e9",       "\u20ac",
                                            "\U0001f600", "\xc3", "\xed\xa0\x80", "\xf8"};
  std::string out;
  for (auto pieces = random() % 6; pieces > 0; --pieces) {
    out += kPieces[random() % std::size(kPieces)];
  }
  return out;
}

json any_value(std::mt19937& random, int levels) {
  switch (random() % (levels > 0 ? 7 : 5)) {
    case 0:
      return any_text(random);
    case 1:
      return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31);
    case 2:
      return random();
    case 3:
      return static_cast<double>(random()) / 7;
    case 4:
      return random() % 2 == 0 ? json() : json(random() % 2 == 0);
    case 5: {
      json out = json::array();
      for (auto items = random() % 4; items > 0; --items) {
        out.push_back(any_value(random, levels - 1));
      }
      return out;
    }
    default: {
      json out = json::object();
      for (auto members = random() % 4; members > 0; --members) {
        out[any_text(random)] = any_value(random, levels - 1);
      }
      return out;
    }
  }
}

TEST(Dump, IsThatOfTheLibraryForAnyValue) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const json value = any_value(random, 4);
    ASSERT_EQ(dump(value), by_library(value)) << i;
  }
}

}  // namespace
}  // namespace mc
