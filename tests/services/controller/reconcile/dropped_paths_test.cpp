#include "services/controller/reconcile/dropped_paths.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mc::controller {
namespace {

using Paths = std::vector<std::string>;

json spec(const char* text) { return {{"spec", json::parse(text)}}; }

TEST(DroppedPaths, AreThoseThatWereSentAndDidNotComeBack) {
  const struct {
    const char* name;
    const char* sent;
    const char* answer;
    Paths dropped;
  } cases[] = {
      {"all is there", R"({"a": {"b": 1}})", R"({"a": {"b": 1}})", {}},
      {"what the API server adds", R"({"a": {}})", R"({"a": {"b": 1}, "c": 2})", {}},
      {"another value is no dropped field", R"({"a": 1})", R"({"a": 2})", {}},
      {"Kubernetes leaves out what is empty",
       R"({"a": false, "b": 0, "c": "", "d": [], "e": {}, "f": null})",
       "{}",
       {}},
      {"a member", R"({"a": 1, "b": {"c": true}})", R"({"a": 1, "b": {}})", {"spec.b.c"}},
      {"a whole object, once", R"({"a": {"b": 1, "c": 2}})", "{}", {"spec.a"}},
      {"in elements of a list, told once",
       R"({"a": [{"name": "x", "b": 1}, {"name": "y", "b": 1}]})",
       R"({"a": [{"name": "x"}, {"name": "y"}]})",
       {"spec.a.b"}},
      {"an element that somebody has put before ours",
       R"({"a": [{"name": "x", "b": 1}]})",
       R"({"a": [{"name": "new"}, {"name": "x", "b": 1}]})",
       {}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(dropped_paths(spec(c.sent), spec(c.answer)), c.dropped) << c.name;
  }
}

TEST(DroppedPaths, AreRecordedUpToTwenty) {
  json sent = {{"spec", json::object()}};
  for (int i = 10; i < 40; ++i) sent["spec"]["f" + std::to_string(i) + std::string(400, 'x')] = 1;
  sent["spec"]["a"] = {{"b", 1}, {"c", 2}};
  const std::string record = record_of(dropped_paths(sent, spec(R"({"a": {"c": 2}})")));
  EXPECT_TRUE(record.starts_with("spec.a.b,spec.f10x")) << record;
  EXPECT_EQ(std::ranges::count(record, ','), 19);
  EXPECT_LT(record.size(), 20U * 301);
  EXPECT_EQ(record_of({}), "");
}

}  // namespace
}  // namespace mc::controller
