#include "services/webhook/parsed_review.h"

#include <gtest/gtest.h>

#include "tests/services/webhook/requests.h"

namespace mc::webhook {
namespace {

TEST(ParsedReview, LeavesOutWhatNoAnswerDependsOn) {
  json object = valid_cluster();
  json review = review_of("UPDATE", object, object);
  json wanted = review;
  for (const char* name : {"resource", "userInfo", "dryRun", "options"}) {
    wanted["request"].erase(name);
  }
  review["more"] = {1, {{"kind", "x"}}};
  for (const char* name : {"object", "oldObject"}) {
    review["request"][name]["status"] = {{"phase", "Running"}};
    review["request"][name]["metadata"]["managedFields"] = {{{"manager", {"a", json::object()}}}};
  }
  EXPECT_EQ(parse_review(review.dump()), wanted);
}

TEST(ParsedReview, IsOtherwiseWhatTheBytesSay) {
  for (
      const char* text : {
          R"({"request": {"object": {"spec": {"managedFields": [], "status": {}, "uid": 1}}}})",
          R"({"request": {"object": {"metadata": {"labels": {"managedFields": "a"}}}}})",
          R"({"request": {"object": {"spec": {"a": 1, "a": {"b": [1, -2, 2.5, null, true, "x"]}}}}})",
          R"({"request": {"object": {"spec": {"a": {"b": 1}, "a": "\u00e4"}}}})",
          R"({"kind": {"kind": [{}]}, "request": [{"object": {}}, []]})",
          "[]",
          "null",
          "1e3",
          "-0",
          "18446744073709551616",
          "\"text\"",
          " [1, -1, 0.1, 1E5, -0.0, 9223372036854775807, 9223372036854775808, 5e-324, 1e-400]\r\n",
          "[18446744073709551615, -9223372036854775808, -9223372036854775809, 1.5e308]",
          "\xEF\xBB\xBF{}",
          R"(["\ud83d\ude00", "\\ud800"])",
          R"(["\u003c\/\b\u0000\"", ""])",
      }) {
    const auto parsed = parse_review(text);
    EXPECT_EQ(parsed, json::parse(text)) << text;
    EXPECT_EQ(parsed.value().dump(), json::parse(text).dump()) << text;
  }
}

TEST(ParsedReview, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "{} {}",
                           R"({"a": })",
                           R"({"userInfo": nul})",
                           "1e999",
                           "01",
                           "1.",
                           "+1",
                           ".5",
                           "NaN",
                           "[1,]",
                           "[1 2]",
                           R"({"a": 1,})",
                           R"({"a" 1})",
                           R"({a: 1})",
                           "'a'",
                           "\"a",
                           "\"\t\"",
                           R"("\x")",
                           R"("\u12")",
                           R"("\ud800")",
                           R"("\udc00")",
                           R"("\uDC00\ud800")",
                           R"("\ud800\u0041")",
                           "\"\xff\"",
                           "\"\xc3\x28\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xc0\x80\"",
                           "[1] // no",
                           "}",
                           "]"}) {
    EXPECT_FALSE(json::accept(text)) << text;
    EXPECT_EQ(parse_review(text).error(), "body is not JSON") << text;
  }
}

}  // namespace
}  // namespace mc::webhook
