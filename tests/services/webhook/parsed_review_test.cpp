#include "services/webhook/parsed_review.h"

#include <gtest/gtest.h>

#include "tests/services/webhook/requests.h"

namespace mc::webhook {
namespace {

TEST(ParsedReview, LeavesOutManagedFieldsAlone) {
  json object = valid_cluster();
  object["status"] = {{"phase", "Running"}, {"conditions", {{{"type", "Ready"}}}}};
  const json wanted = review_of("UPDATE", object, object);
  json review = wanted;
  for (const char* name : {"object", "oldObject"}) {
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
      }) {
    const auto parsed = parse_review(text);
    EXPECT_EQ(parsed, json::parse(text)) << text;
    EXPECT_EQ(parsed.value().dump(), json::parse(text).dump()) << text;
  }
}

TEST(ParsedReview, RefusesWhatIsNotJson) {
  EXPECT_EQ(parse_review(R"({"userInfo": nul})").error(), "body is not JSON");
}

}  // namespace
}  // namespace mc::webhook
