#include "common/kube/store.h"

#include <gtest/gtest.h>

namespace mc::kube {
namespace {

Object stored_pod(const std::string& name, const std::string& version,
                  const std::string& owner = {}, const std::string& uid = "u") {
  json object = {
      {"metadata",
       {{"name", name}, {"namespace", "a"}, {"resourceVersion", version}, {"uid", uid}}}};
  if (!owner.empty()) {
    object["metadata"]["ownerReferences"] = {{{"uid", owner}, {"controller", true}}};
  }
  return std::make_shared<const json>(std::move(object));
}

std::string name(const Object& object) {
  return object ? metadata_text(*object, "name") + "@" + metadata_text(*object, "resourceVersion")
                : "-";
}

// "p@1>p@2 q@1>-"
std::string words(const std::vector<Change<json>>& changes) {
  std::string text;
  for (const Change<json>& change : changes) {
    const Object before = change.before.object(), after = change.after.object();
    text += (text.empty() ? "" : " ") + name(before) + ">" + name(after);
  }
  return text;
}

std::string words(const std::vector<Object>& objects) {
  std::string text;
  for (const auto& object : objects) text += (text.empty() ? "" : " ") + name(object);
  return text;
}

class StoreTest : public testing::Test {
 protected:
  Store<json> store;
};

TEST_F(StoreTest, FollowsAWatch) {
  EXPECT_EQ(store.get("a/p"), nullptr);
  EXPECT_EQ(words(store.apply(Applied{stored_pod("p", "1")})), "->p@1");
  EXPECT_EQ(words(store.apply(Applied{stored_pod("p", "1")})), "");
  EXPECT_EQ(words(store.apply(Applied{stored_pod("p", "2")})), "p@1>p@2");
  EXPECT_EQ(name(store.get("a/p")), "p@2");
  EXPECT_EQ(words(store.apply(Deleted{stored_pod("p", "3")})), "p@2>-");
  EXPECT_EQ(words(store.apply(Deleted{stored_pod("p", "3")})), "");
  EXPECT_EQ(store.size(), 0u);
}

TEST_F(StoreTest, EachObserverIsToldOfEachChangeInOrder) {
  std::string told;
  for (const char* who : {"one ", "two "}) {
    store.observe(
        [&told, who](const Change<json>& change) { told += who + words({change}) + "; "; });
  }
  store.apply(Applied{stored_pod("p", "1")});
  store.learn(stored_pod("p", "2"));
  EXPECT_EQ(told, "one ->p@1; two ->p@1; one p@1>p@2; two p@1>p@2; ");
}

TEST_F(StoreTest, ItsContentsAreTheNumberOfObjectsAndTheNewestVersionReported) {
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("p", "1")});
  EXPECT_EQ(store.contents().objects, 0U);
  EXPECT_FALSE(store.contents().synced);
  EXPECT_EQ(store.contents().version, 0U);
  store.apply(Synced{"7"});
  store.apply(Applied{stored_pod("q", "9")});
  store.learn(stored_pod("r", "12"));
  EXPECT_EQ(store.contents().objects, 3U);
  EXPECT_TRUE(store.contents().synced);
  EXPECT_EQ(store.contents().version, 9U) << "the watch has not reported r";
}

TEST_F(StoreTest, IsSyncedOnceAWholeListWasSeenAndStaysSo) {
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("p", "1")});
  EXPECT_FALSE(store.synced());
  store.apply(Synced{});
  EXPECT_TRUE(store.synced());
  store.apply(Restarted{});
  EXPECT_TRUE(store.synced());
}

TEST_F(StoreTest, AListTakesThePlaceOfEverythingAtOnceAndReportsTheDifferences) {
  for (const char* each : {"changed", "gone", "same"})
    store.apply(Applied{stored_pod(each, "1", "o")});
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("changed", "5", "o")});
  store.apply(Listed{stored_pod("new", "6", "o")});
  store.apply(Listed{stored_pod("same", "1", "o")});
  EXPECT_EQ(words(store.all()), "changed@1 gone@1 same@1");
  EXPECT_EQ(words(store.apply(Synced{})), "gone@1>- changed@1>changed@5 ->new@6");
  EXPECT_EQ(words(store.all()), "changed@5 new@6 same@1");
  EXPECT_EQ(words(store.owned_by("a", "o")), "changed@5 new@6 same@1");
}

TEST_F(StoreTest, AListThatBeganAnewForgetsItsFirstPages) {
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("p", "1")});
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("q", "2")});
  EXPECT_EQ(words(store.apply(Synced{})), "->q@2");
}

TEST_F(StoreTest, AnObjectOfTheSameNameIsAnotherOne) {
  store.apply(Applied{stored_pod("p", "1", "", "first")});
  EXPECT_EQ(words(store.apply(Applied{stored_pod("p", "1", "", "second")})), "p@1>p@1");
}

TEST_F(StoreTest, FindsObjectsByTheirOwner) {
  store.apply(Applied{stored_pod("q", "1", "o")});
  store.apply(Applied{stored_pod("p", "1", "o")});
  store.apply(Applied{stored_pod("r", "1", "other")});
  store.apply(Applied{stored_pod("s", "1")});
  EXPECT_EQ(words(store.owned_by("a", "o")), "p@1 q@1");
  EXPECT_EQ(words(store.owned_by("a", "nobody")), "");
  EXPECT_EQ(words(store.owned_by("a", "")), "");
  store.apply(Applied{stored_pod("p", "2", "other")});
  EXPECT_EQ(words(store.owned_by("a", "o")), "q@1");
  EXPECT_EQ(words(store.owned_by("a", "other")), "p@2 r@1");
  store.apply(Deleted{stored_pod("q", "9")});
  EXPECT_EQ(words(store.owned_by("a", "o")), "");
}

TEST_F(StoreTest, WhatAReaderHoldsDoesNotChange) {
  store.apply(Applied{stored_pod("p", "1")});
  const auto held = store.get("a/p");
  store.apply(Applied{stored_pod("p", "2")});
  EXPECT_EQ(name(held), "p@1");
}

// As if the resource had not been served for a moment.
TEST_F(StoreTest, LearnsAgainWhatAListWithoutAVersionHasForgotten) {
  store.apply(Applied{stored_pod("p", "5")});
  store.apply(Restarted{});
  store.apply(Synced{});
  EXPECT_EQ(store.get("a/p"), nullptr);
  store.learn(stored_pod("p", "5"));
  EXPECT_EQ(name(store.get("a/p")), "p@5");
}

TEST_F(StoreTest, KnowsWhatItLearnedBeforeTheWatchTells) {
  store.learn(stored_pod("p", "5", "owner"));
  EXPECT_EQ(name(store.get("a/p")), "p@5");
  EXPECT_EQ(words(store.owned_by("a", "owner")), "p@5");
  EXPECT_EQ(words(store.apply(Applied{stored_pod("p", "5", "owner")})), "") << "no news";
  EXPECT_EQ(words(store.apply(Applied{stored_pod("p", "6", "owner")})), "p@5>p@6");
}

TEST_F(StoreTest, HasTheVersionThatItWasToldOrLearned) {
  const auto has = [&](const Object& object) { return store.has((*object)["metadata"]); };
  EXPECT_FALSE(has(stored_pod("p", "1")));
  store.apply(Applied{stored_pod("p", "1")});
  EXPECT_TRUE(has(stored_pod("p", "1")));
  store.learn(stored_pod("p", "2"));
  EXPECT_TRUE(has(stored_pod("p", "2")));
  EXPECT_FALSE(has(stored_pod("p", "1")));
  EXPECT_FALSE(has(stored_pod("p", "2", "", "another uid")));
  EXPECT_FALSE(has(stored_pod("q", "2")));
  store.apply(Applied{stored_pod("q", "no number")});
  EXPECT_FALSE(has(stored_pod("q", "no number")));
  for (const json& none : {json(), json("p"), json::array({1}), json::object()}) {
    EXPECT_FALSE(store.has(none)) << none;
  }
}

TEST_F(StoreTest, ARepetitionTellsNothingButHowFarTheWatchIs) {
  store.learn(stored_pod("p", "2"));
  EXPECT_EQ(words(store.apply(Repeated{"2"})), "");
  store.apply(Deleted{stored_pod("p", "3")});
  store.apply(Repeated{"5"});
  store.learn(stored_pod("p", "5"));
  EXPECT_EQ(store.get("a/p"), nullptr) << "the watch has come past it";
}

TEST_F(StoreTest, AnOlderEventDoesNotReplaceWhatWasLearned) {
  store.apply(Applied{stored_pod("p", "5")});
  store.learn(stored_pod("p", "9"));
  EXPECT_EQ(words(store.apply(Applied{stored_pod("p", "7")})), "");
  EXPECT_EQ(name(store.get("a/p")), "p@9");
  EXPECT_EQ(words(store.apply(Deleted{stored_pod("p", "10")})), "p@9>-");
}

TEST_F(StoreTest, DoesNotLearnWhatTheWatchHasComePast) {
  store.apply(Applied{stored_pod("p", "5")});
  store.apply(Deleted{stored_pod("p", "8")});
  store.learn(stored_pod("p", "7"));
  EXPECT_EQ(store.get("a/p"), nullptr) << "it was deleted since: it would stay for ever";
  store.apply(Applied{stored_pod("q", "9")});
  store.learn(stored_pod("q", "6"));
  EXPECT_EQ(name(store.get("a/q")), "q@9");
}

// Created at 10 and deleted by someone at 15, before the list at 20. The watch from there never
// reports it, and the answer to our write arrives last.
TEST_F(StoreTest, DoesNotLearnWhatTheListHasComePast) {
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("q", "5")});
  store.apply(Synced{"20"});
  store.learn(stored_pod("p", "10"));
  EXPECT_EQ(store.get("a/p"), nullptr) << "it would stay for ever";
  store.learn(stored_pod("p", "21"));
  EXPECT_EQ(name(store.get("a/p")), "p@21") << "the watch will tell of its end";
}

TEST_F(StoreTest, WhatIsLearnedWhileAListComesInStaysIfItIsNewerThanTheList) {
  for (const char* each : {"changed", "deleted"}) store.apply(Applied{stored_pod(each, "5")});
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("changed", "5")});
  store.learn(stored_pod("changed", "21"));
  store.learn(stored_pod("deleted", "10"));
  store.learn(stored_pod("new", "22"));
  EXPECT_EQ(words(store.apply(Synced{"20"})), "deleted@10>-");
  EXPECT_EQ(words(store.all()), "changed@21 new@22");
  EXPECT_EQ(words(store.apply(Deleted{stored_pod("new", "23")})), "new@22>-");
}

// A restored etcd reuses versions that it had already assigned.
TEST_F(StoreTest, AListOfAnEarlierVersionIsBelievedAndWhatIsLearnedAfterIt) {
  store.apply(Applied{stored_pod("gone", "900")});
  store.learn(stored_pod("learned", "901"));
  store.apply(Restarted{});
  store.apply(Listed{stored_pod("kept", "400")});
  store.apply(Synced{"500"});
  EXPECT_EQ(words(store.all()), "kept@400");
  store.learn(stored_pod("new", "501"));
  EXPECT_EQ(words(store.all()), "kept@400 new@501");
  EXPECT_EQ(words(store.apply(Applied{stored_pod("kept", "502")})), "kept@400>kept@502");
}

TEST_F(StoreTest, LearnsNothingFromAVersionThatIsNoNumber) {
  store.learn(stored_pod("p", "abc"));
  EXPECT_EQ(store.get("a/p"), nullptr);
}

TEST(Store, StoresWhatIsReadOfAnObject) {
  const auto without_spec = [](const json& sent) {
    json out = sent;
    out.erase("spec");
    return out;
  };
  Store<json> store(without_spec);
  json sent = *stored_pod("p", "1");
  sent["spec"] = {{"much", 1}};
  store.apply(Applied{std::make_shared<const json>(sent)});
  EXPECT_EQ(*store.get("a/p"), *stored_pod("p", "1"));
  sent["metadata"]["resourceVersion"] = "2";
  store.learn(std::make_shared<const json>(sent));
  EXPECT_EQ(*store.get("a/p"), *stored_pod("p", "2"));
}

struct Typed {
  struct Owner {
    std::string uid;
  };
  struct Metadata {
    std::string name, ns, uid;
    std::uint64_t version = 0;
    Owner owner;
  };
  Metadata metadata;
  std::string phase;
};

TEST(Store, StoresObjectsOfAnyType) {
  Store<Typed> store([](const json& sent) {
    return Typed{{metadata_text(sent, "name"),
                  metadata_text(sent, "namespace"),
                  metadata_text(sent, "uid"),
                  version_number(metadata_text(sent, "resourceVersion")),
                  {controller_uid(sent)}},
                 text_at(sent, {"phase"})};
  });
  std::vector<std::string> told;
  store.listen([&](const Change<Typed>& change) { told.push_back(change.latest()->phase); });
  json sent = *stored_pod("p", "1", "o");
  sent["phase"] = "Running";
  store.take(Applied{std::make_shared<const json>(sent)});
  EXPECT_EQ(store.get("a/p")->phase, "Running");
  EXPECT_EQ(store.owned_by("a", "o").size(), 1U);
  store.take(Applied{std::make_shared<const json>(sent)});
  store.take(Deleted{stored_pod("p", "2")});
  store.take(Applied{stored_pod("q", "3")}, [&] {
    EXPECT_NE(store.get("a/q"), nullptr) << "is asked once readers see it";
    return false;
  });
  EXPECT_EQ(told, (std::vector<std::string>{"Running", "Running"}));
}

Object pod_in(const std::string& ns, const std::string& name, const char* version = "1") {
  return std::make_shared<const json>(
      json{{"metadata",
            {{"namespace", ns},
             {"name", name},
             {"uid", ns + name},
             {"resourceVersion", version},
             {"ownerReferences", {{{"uid", "owner of " + ns}, {"controller", true}}}}}}});
}

void list(Store<json>& store, const std::vector<Object>& objects) {
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
  StoreSet<json> set({"b", "a", "b"});
  ASSERT_EQ(set.stores().size(), 2U);
  list(set.stores().at("a"), {pod_in("a", "p"), pod_in("a", "q")});
  EXPECT_FALSE(set.synced()) << "of b nothing is known yet";
  list(set.stores().at("b"), {pod_in("b", "p")});
  EXPECT_TRUE(set.synced());
  EXPECT_EQ(keys(set.all()), "a/p a/q b/p");
  EXPECT_EQ(keys(set.owned_by("b", "owner of b")), "b/p");
  ASSERT_NE(set.get("b/p"), nullptr);
  EXPECT_EQ(metadata_text(*set.get("b/p"), "uid"), "bp");
  EXPECT_EQ(set.get("b/q"), nullptr);
  EXPECT_EQ(set.get("c/p"), nullptr);
}

TEST(Store, AnObjectBelongsToNoOwnerInAnotherNamespace) {
  Store<json> store;
  json forged = *pod_in("a", "p");
  forged["metadata"]["ownerReferences"][0]["uid"] = "owner of b";
  list(store, {std::make_shared<const json>(forged), pod_in("b", "p"), pod_in("b", "q")});
  EXPECT_EQ(keys(store.owned_by("b", "owner of b")), "b/p b/q");
  EXPECT_EQ(keys(store.owned_by("a", "owner of b")), "a/p");
  EXPECT_EQ(keys(store.owned_by("c", "owner of b")), "");
}

TEST(StoreSet, ANewListOfOneNamespaceLeavesTheOthersAlone) {
  StoreSet<json> set({"a", "b"});
  list(set.stores().at("a"), {pod_in("a", "p")});
  list(set.stores().at("b"), {pod_in("b", "p")});
  list(set.stores().at("a"), {});
  EXPECT_EQ(keys(set.all()), "b/p");
}

TEST(StoreSet, LearnsWhereItWatches) {
  StoreSet<json> set({"a", "b"});
  set.learn(pod_in("b", "p"));
  set.learn(pod_in("c", "p"));
  EXPECT_EQ(keys(set.all()), "b/p");
}

TEST(StoreSet, WithoutNamespacesIsOneStoreForAll) {
  StoreSet<json> set;
  ASSERT_EQ(set.stores().size(), 1U);
  list(set.stores().at(""), {pod_in("a", "p"), pod_in("b", "p")});
  set.learn(pod_in("c", "p", "2"));
  EXPECT_EQ(keys(set.all()), "a/p b/p c/p");
  EXPECT_NE(set.get("b/p"), nullptr);
}

}  // namespace
}  // namespace mc::kube
