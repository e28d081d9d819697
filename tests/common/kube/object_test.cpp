#include "common/kube/object.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mc::kube {
namespace {

const json kPod =
    json::parse(R"({"metadata":{"name":"p","namespace":"a","uid":"u","ownerReferences":[
    {"kind":"Other","name":"o","uid":"1"},
    {"kind":"Job","name":"j","uid":"2","controller":true}]}})");

TEST(Object, HasAKey) {
  EXPECT_EQ(key_of(kPod), "a/p");
  EXPECT_EQ(key_of({{"metadata", {{"name", "node"}}}}), "node");
}

TEST(Object, IsOwnedByItsController) {
  EXPECT_EQ(controller_uid(kPod), "2");
  EXPECT_EQ(controller_key(kPod, "Job"), "a/j");
  EXPECT_EQ(controller_key(kPod, "Other"), "");
  EXPECT_EQ(controller_key(kPod, "MiniCluster"), "");
}

TEST(ReplacingPatch, PutsTheWantedInThePlaceOfTheStored) {
  const json stored = {{"phase", "Waiting"}, {"gone", 1}, {"used", {{"cpu", "3"}, {"pods", "1"}}}};
  const json wanted = {{"phase", "Running"}, {"used", {{"cpu", "4"}}}, {"list", {1, 2}}};
  json object = stored;
  object.merge_patch(replacing_patch(stored, wanted));
  EXPECT_EQ(object, wanted);
  EXPECT_EQ(replacing_patch(nullptr, wanted), wanted);
  EXPECT_EQ(replacing_patch({{"used", "text"}}, wanted), wanted);
}

TEST(Answer, OfManyLevelsIsCutToWhatAStackCanWalk) {
  for (const std::size_t levels : {499U, 500U, 501U, 9'990U, 100'000U}) {
    const json object =
        parse_answer(R"({"spec":)" + std::string(levels, '[') + std::string(levels, ']') + "}", 0);
    std::size_t kept = 1;
    for (const json* at = &object["spec"]; at->is_array(); at = &at->front()) {
      ++kept;
      if (at->empty()) break;
    }
    EXPECT_EQ(kept, std::min<std::size_t>(levels + 1, kMaxJsonLevels));
  }
}

TEST(Answer, IsWhatItIsWhereNothingIsTooMuch) {
  for (const char* text : {R"({"a":[1,-2,2.5,"x",true,null,{},[]],"metadata":{"name":"n"}})", "[]",
                           R"("text")", "18446744073709551615"}) {
    EXPECT_EQ(parse_answer(text, 0), json::parse(text));
    EXPECT_EQ(parse_answer(text, 2), json::parse(text));
  }
}

TEST(Answer, ThatIsNoJsonIsDiscarded) {
  for (const char* text : {"", "{", "{}x", R"({"a":})", "nul", "[1,]"}) {
    EXPECT_TRUE(parse_answer(text, 0).is_discarded()) << text;
  }
}

// `{"x0":{},"x1":{}, ...}`
std::string many_members(std::size_t count) {
  std::string out = "{";
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "\"x" : ",\"x") + std::to_string(i) + "\":{}";
  }
  return out + "}";
}

std::string object_of(const std::string& labels, const std::string& spec) {
  return R"({"metadata":{"labels":)" + labels + R"(,"name":"n"},"spec":)" + spec +
         R"(,"status":{"phase":"Running"}})";
}

TEST(Answer, OfManyValuesKeepsSomeAndTheName) {
  for (const std::size_t level : {0U, 1U}) {
    SCOPED_TRACE(level);
    const auto wrapped = [&](const std::string& text) {
      return level == 0 ? text : R"({"object":)" + text + "}";
    };
    const auto object_in = [&](json answer) { return level == 0 ? answer : answer["object"]; };
    const json large =
        object_in(parse_answer(wrapped(object_of("{}", many_members(100'000))), level));
    EXPECT_EQ(large["spec"].size(), kMostObjectValues);
    EXPECT_EQ(large["metadata"]["name"], "n");
    EXPECT_TRUE(large["status"].is_object());
    const json labelled =
        object_in(parse_answer(wrapped(object_of(many_members(100'000), R"({"size":4})")), level));
    EXPECT_EQ(labelled["metadata"]["labels"].size(), kMostObjectValues);
    EXPECT_EQ(labelled["metadata"]["name"], "n");
  }
}

// A spec may have 10,000 variables. For each one, a Job has an object, its name and its value,
// followed by the status.
TEST(Answer, OfTheLargestJobOfOursIsWhole) {
  json job = {{"metadata", {{"name", "n"}}},
              {"status", {{"conditions", {{{"type", "Complete"}}}}}}};
  json& variables = job["spec"]["env"] = json::array();
  for (int i = 0; i < 10'000; ++i) variables.push_back({{"name", "a"}, {"value", "b"}});
  EXPECT_EQ(parse_answer(job.dump(), 0), job);
  json written = job;
  for (int i = 0; i < 50'000; ++i) written["metadata"]["managedFields"].push_back(i);
  EXPECT_EQ(parse_answer(written.dump(), 0), job) << "nobody reads managedFields";
}

TEST(Answer, EachObjectOfAListHasItsOwnMeasure) {
  const std::string large = object_of("{}", many_members(kMostObjectValues + 1));
  const std::string small = object_of("{}", many_members(3));
  const json list = parse_answer(
      R"({"metadata":{"resourceVersion":"9"},"items":[)" + large + "," + small + "," + large + "]}",
      2);
  EXPECT_EQ(list["metadata"]["resourceVersion"], "9");
  ASSERT_EQ(list["items"].size(), 3U);
  EXPECT_EQ(list["items"][0]["spec"].size(), kMostObjectValues);
  EXPECT_EQ(list["items"][1], json::parse(small));
  EXPECT_EQ(list["items"][2]["spec"].size(), kMostObjectValues);
}

TEST(Answer, HasOnlyTheFieldsThatAreRead) {
  const Fields fields{
      "", {{"metadata", {{"name"}}}, {"spec", {{"a"}, {"containers", {{"name"}}}}}, {"status"}}};
  const struct {
    const char *sent, *kept;
  } cases[] = {
      {R"({"spec":{"volumes":[{"name":"v"}],"containers":[{"env":[1],"name":"c"},{"env":null}]}})",
       R"({"spec":{"containers":[{"name":"c"},{}]}})"},
      {R"({"spec":{"a":{"volumes":1},"containers":[[{"env":1,"name":2}]]},"volumes":{},"code":3})",
       R"({"spec":{"a":{"volumes":1},"containers":[[{"name":2}]]}})"},
      {R"({"status":{"a":[{"b":{"c":[]},"d":1}]},"spec":1,"other":{"status":[{}]}})",
       R"({"status":{"a":[{"b":{"c":[]},"d":1}]},"spec":1})"},
      {R"({"metadata":{"managedFields":[{}],"name":"n","uid":[{}]},"spec":{"volumes":"x","a":1}})",
       R"({"metadata":{"name":"n"},"spec":{"a":1}})"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(parse_answer(c.sent, 0, fields), json::parse(c.kept));
    const std::string line = R"({"object":)" + std::string(c.sent) + R"(,"type":"ADDED"})";
    EXPECT_EQ(parse_answer(line, 1, fields),
              json({{"object", json::parse(c.kept)}, {"type", "ADDED"}}));
  }
}

TEST(Object, OfAnyShapeIsSafeToAsk) {
  for (const char* text :
       {"{}", "[]", "1", R"({"metadata":1})", R"({"metadata":{"name":1,"ownerReferences":{}}})",
        R"({"metadata":{"ownerReferences":[1,{"controller":"true"},{"controller":null}]}})"}) {
    const auto object = json::parse(text);
    EXPECT_EQ(key_of(object), "") << text;
    EXPECT_EQ(metadata_text(object, "uid"), "") << text;
    EXPECT_EQ(controller_uid(object), "") << text;
    EXPECT_EQ(controller_key(object, "Job"), "") << text;
  }
}

}  // namespace
}  // namespace mc::kube
