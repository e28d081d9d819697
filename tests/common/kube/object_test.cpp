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

TEST(Object, OfManyLevelsIsCutToWhatAStackCanWalk) {
  for (const std::size_t levels : {500U, 501U, 9'990U, 100'000U}) {
    const json object =
        shallow(json::parse(std::string(levels, '[') + std::string(levels, ']'), nullptr, false));
    std::size_t kept = 0;
    for (const json* at = &object; at->is_array(); at = &at->front()) {
      ++kept;
      if (at->empty()) break;
    }
    EXPECT_EQ(kept, std::min<std::size_t>(levels, kMaxJsonLevels));
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
