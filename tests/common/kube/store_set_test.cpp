#include "common/kube/store_set.h"

#include <gtest/gtest.h>

namespace mc::kube {
namespace {

Object pod(const std::string& ns, const std::string& name, const char* version = "1") {
  return std::make_shared<const json>(
      json{{"metadata",
            {{"namespace", ns},
             {"name", name},
             {"uid", ns + name},
             {"resourceVersion", version},
             {"ownerReferences", {{{"uid", "owner of " + ns}, {"controller", true}}}}}}});
}

void list(Store& store, const std::vector<Object>& objects) {
  store.apply(Restarted{});
  for (const Object& object : objects) store.apply(Listed{object});
  store.apply(Synced{});
}

// "a/p b/p"
std::string keys(const std::vector<Object>& objects) {
  std::string text;
  for (const Object& object : objects) text += (text.empty() ? "" : " ") + key_of(*object);
  return text;
}

TEST(StoreSet, ReadsAsOneStore) {
  StoreSet set({"b", "a", "b"});
  ASSERT_EQ(set.stores().size(), 2U);
  list(set.stores().at("a"), {pod("a", "p"), pod("a", "q")});
  EXPECT_FALSE(set.synced()) << "of b nothing is known yet";
  list(set.stores().at("b"), {pod("b", "p")});
  EXPECT_TRUE(set.synced());
  EXPECT_EQ(keys(set.all()), "a/p a/q b/p");
  EXPECT_EQ(keys(set.owned_by("owner of b")), "b/p");
  ASSERT_NE(set.get("b/p"), nullptr);
  EXPECT_EQ(metadata_text(*set.get("b/p"), "uid"), "bp");
  EXPECT_EQ(set.get("b/q"), nullptr);
  EXPECT_EQ(set.get("c/p"), nullptr);
}

TEST(StoreSet, ANewListOfOneNamespaceLeavesTheOthersAlone) {
  StoreSet set({"a", "b"});
  list(set.stores().at("a"), {pod("a", "p")});
  list(set.stores().at("b"), {pod("b", "p")});
  list(set.stores().at("a"), {});
  EXPECT_EQ(keys(set.all()), "b/p");
}

TEST(StoreSet, LearnsWhereItWatches) {
  StoreSet set({"a", "b"});
  set.learn(pod("b", "p"));
  set.learn(pod("c", "p"));
  EXPECT_EQ(keys(set.all()), "b/p");
}

TEST(StoreSet, WithoutNamespacesIsOneStoreForAll) {
  StoreSet set;
  ASSERT_EQ(set.stores().size(), 1U);
  list(set.stores().at(""), {pod("a", "p"), pod("b", "p")});
  set.learn(pod("c", "p", "2"));
  EXPECT_EQ(keys(set.all()), "a/p b/p c/p");
  EXPECT_NE(set.get("b/p"), nullptr);
}

}  // namespace
}  // namespace mc::kube
