#include "common/kube/watcher.h"

#include <gtest/gtest.h>

#include "tests/common/kube/answers.h"
#include "tests/support/must.h"

namespace mc::kube {
namespace {

std::string page(const std::vector<json>& items, const std::string& version,
                 const std::string& token = {}) {
  return json{{"metadata", {{"resourceVersion", version}, {"continue", token}}}, {"items", items}}
      .dump();
}

// "Restarted, Listed x@1, Synced"
std::string words(const std::vector<WatchEvent>& events) {
  std::string text;
  const auto object = [](const char* verb, const Object& about) {
    return std::string(verb) + " " + metadata_text(*about, "name") + "@" +
           metadata_text(*about, "resourceVersion");
  };
  for (const auto& event : events) {
    if (!text.empty()) text += ", ";
    if (std::holds_alternative<Restarted>(event)) text += "Restarted";
    if (std::holds_alternative<Synced>(event)) text += "Synced";
    if (const auto* same = std::get_if<Repeated>(&event)) text += "Repeated @" + same->version;
    if (const auto* listed = std::get_if<Listed>(&event)) text += object("Listed", listed->object);
    if (const auto* made = std::get_if<Applied>(&event)) text += object("Applied", made->object);
    if (const auto* gone = std::get_if<Deleted>(&event)) text += object("Deleted", gone->object);
  }
  return text;
}

std::string words(const Result<std::vector<WatchEvent>>& events) {
  return events ? words(*events) : "error: " + events.error().message;
}

std::string words(const Result<std::optional<WatchEvent>>& event) {
  if (!event) return "error: " + event.error().message;
  return *event ? words(std::vector<WatchEvent>{**event}) : "";
}

Scope pods() { return {.resource = kPods, .ns = "a", .label_selector = "x=y"}; }

Watcher watching_from(const std::string& version, Fields fields = {}) {
  Scope scope = pods();
  scope.fields = std::move(fields);
  Watcher watcher(std::move(scope));
  (void)watcher.page(page({}, version));
  return watcher;
}

constexpr const char* kList = "/api/v1/namespaces/a/pods?labelSelector=x%3Dy&limit=50";
const std::string kWatch =
    "/api/v1/namespaces/a/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=290"
    "&labelSelector=x%3Dy&resourceVersion=";

TEST(Watcher, ListsPageByPageAndThenWatchesFromTheListsVersion) {
  Watcher watcher(pods());
  EXPECT_FALSE(watcher.watching());
  EXPECT_EQ(watcher.next().path, kList);
  EXPECT_EQ(words(watcher.page(page({pod("p", "3")}, "9", "t 1"))), "Restarted, Listed p@3");
  EXPECT_FALSE(watcher.watching());
  EXPECT_EQ(watcher.next().path, std::string(kList) + "&continue=t%201");
  EXPECT_EQ(words(watcher.page(page({}, "9", "t2"))), "");
  EXPECT_EQ(words(watcher.page(page({pod("q", "4"), pod("r", "5")}, "9"))),
            "Listed q@4, Listed r@5, Synced");
  EXPECT_TRUE(watcher.watching());
  EXPECT_EQ(watcher.next().path, kWatch + "9");
}

// A MiniCluster with 9,990 levels, which the API server accepts, would overflow a thread's stack.
TEST(Watcher, WhatIsNestedTooDeeplyIsLeftOutOfListsAndEvents) {
  constexpr std::size_t kLevels = 9'990;
  std::string object = pod("p", "3").dump();
  object.pop_back();
  object += ",\"spec\":" + std::string(kLevels, '[') + std::string(kLevels, ']') + "}";
  Watcher watcher(pods());
  const auto listed =
      test::must(watcher.page(R"({"metadata":{"resourceVersion":"9"},"items":[)" + object + "]}"));
  const auto event =
      test::must(test::must(watcher.line(R"({"type":"ADDED","object":)" + object + "}")));
  const json& first = *std::get<Listed>(listed.at(1)).object;
  const json& second = *std::get<Applied>(event).object;
  EXPECT_EQ(first.dump().size(), second.dump().size());
  EXPECT_LT(first.dump().size(), 2'000U);
}

TEST(Watcher, TheEndOfAListSaysOfWhichVersionItIs) {
  Watcher watcher(pods());
  const auto events = test::must(watcher.page(page({pod("p", "3")}, "9")));
  EXPECT_EQ(std::get<Synced>(events.back()).version, "9");
}

TEST(Watcher, AnEmptyListIsAListToo) {
  Watcher watcher(pods());
  EXPECT_EQ(words(watcher.page(page({}, "9"))), "Restarted, Synced");
  Watcher other(pods());
  EXPECT_EQ(words(other.page(R"({"metadata":{"resourceVersion":"9"},"items":null})")),
            "Restarted, Synced");
}

TEST(Watcher, EachEventMovesTheVersionOn) {
  auto watcher = watching_from("9");
  EXPECT_EQ(words(watcher.line(watch_line("ADDED", pod("p", "10")))), "Applied p@10");
  EXPECT_EQ(watcher.next().path, kWatch + "10");
  EXPECT_EQ(words(watcher.line(watch_line("MODIFIED", pod("p", "11")))), "Applied p@11");
  EXPECT_EQ(words(watcher.line(watch_line("DELETED", pod("p", "12")))), "Deleted p@12");
  EXPECT_EQ(words(watcher.line(watch_line(
                "BOOKMARK", {{"kind", "Pod"}, {"metadata", {{"resourceVersion", "20"}}}}))),
            "");
  EXPECT_EQ(watcher.next().path, kWatch + "20");
}

TEST(Watcher, ReadsNothingButTheMetadataOfAnObjectThatIsKnown) {
  Watcher watcher = watching_from("5");
  const auto is_known = [](const json& metadata) {
    return text_at(metadata, {"resourceVersion"}) == "6";
  };
  const auto line = [](const char* type, const char* version) {
    return json{{"type", type},
                {"object",
                 {{"metadata", {{"name", "p"}, {"resourceVersion", version}}},
                  {"spec", {{"nodeName", "n"}}}}}}
        .dump();
  };
  EXPECT_EQ(words(watcher.line(line("MODIFIED", "6"), is_known)), "Repeated @6");
  EXPECT_EQ(watcher.next().path, kWatch + "6");
  EXPECT_EQ(words(watcher.line(line("DELETED", "6"), is_known)), "Deleted p@6");
  const auto event = watcher.line(line("MODIFIED", "7"), is_known);
  ASSERT_EQ(words(event), "Applied p@7");
  EXPECT_EQ(text_at(*std::get<Applied>(**event).object, {"spec", "nodeName"}), "n");
}

TEST(Watcher, GoesOnFromTheLastVersionAfterACutStream) {
  auto watcher = watching_from("9");
  (void)watcher.line(watch_line("ADDED", pod("p", "10")));
  watcher.failed({ErrorKind::Unavailable, "connection lost"});
  EXPECT_EQ(watcher.next().path, kWatch + "10");
}

TEST(Watcher, ListsAgainWhenItsVersionIsTooOldWhateverIsReadOfItsObjects) {
  auto watcher = watching_from("9", {"", {{"metadata", {{"name"}, {"resourceVersion"}}}}});
  const auto event = watcher.line(watch_line(
      "ERROR", {{"kind", "Status"}, {"code", 410}, {"reason", "Expired"}, {"message", "too old"}}));
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().kind, ErrorKind::Gone);
  EXPECT_EQ(event.error().message, "watch Pod in a: 410 Expired: too old");
  EXPECT_EQ(watcher.next().path, kList);
  EXPECT_EQ(words(watcher.page(page({pod("p", "30")}, "31"))), "Restarted, Listed p@30, Synced");
  EXPECT_EQ(watcher.next().path, kWatch + "31");
}

TEST(Watcher, ListsAgainWhenTheWatchIsRefusedAsGone) {
  auto watcher = watching_from("9");
  watcher.failed({ErrorKind::Gone, "410"});
  EXPECT_EQ(watcher.next().path, kList);
}

TEST(Watcher, OtherErrorEventsOnlyEndTheStream) {
  auto watcher = watching_from("9");
  const auto event = watcher.line(watch_line("ERROR", {{"kind", "Status"}, {"code", 500}}));
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(watcher.next().path, kWatch + "9");
}

TEST(Watcher, AnExpiredPageStartsTheListAnewAndOtherErrorsRepeatIt) {
  Watcher watcher(pods());
  (void)watcher.page(page({pod("p", "3")}, "9", "t"));
  watcher.failed({ErrorKind::Unavailable, "503"});
  EXPECT_EQ(watcher.next().path, std::string(kList) + "&continue=t");
  watcher.failed({ErrorKind::Gone, "the provided continue parameter is too old"});
  EXPECT_EQ(watcher.next().path, kList);
  EXPECT_EQ(words(watcher.page(page({pod("q", "4")}, "9"))), "Restarted, Listed q@4, Synced");
}

// Such as a line that is too long for any answer.
TEST(Watcher, AWatchThatCannotBeReadListsAgain) {
  auto watcher = watching_from("9");
  watcher.failed({ErrorKind::Malformed, "a line is too long"});
  EXPECT_EQ(watcher.next().path, kList);
}

TEST(Watcher, MalformedLinesListAgain) {
  const std::pair<std::string, const char*> cases[] = {
      {"{\"type\":\"ADDED\",\"obj", "error: watch Pod in a: a line is not a watch event"},
      {"[]", "error: watch Pod in a: a line is not a watch event"},
      {R"({"type":"ADDED","object":1})", "error: watch Pod in a: a line is not a watch event"},
      {watch_line("ADDED", json::object()),
       "error: watch Pod in a: an event has no resourceVersion"},
      {watch_line("RENAMED", pod("p", "10")),
       "error: watch Pod in a: an event has an unknown type"},
      {watch_line("ADDED", {{"metadata", {{"resourceVersion", "10"}}}}),
       "error: watch Pod in a: an object has no name"},
  };
  for (const auto& [text, message] : cases) {
    auto watcher = watching_from("9");
    EXPECT_EQ(words(watcher.line(text)), message);
    EXPECT_EQ(watcher.next().path, kList) << text;
  }
}

TEST(Watcher, MalformedPagesStartTheListAnew) {
  for (const char* text :
       {"", "<html>", "[]", R"({"items":[]})", R"({"metadata":{"resourceVersion":"1"},"items":7})",
        R"({"metadata":{"resourceVersion":"1"}})"}) {
    Watcher watcher(pods());
    (void)watcher.page(page({pod("p", "3")}, "9", "t"));
    EXPECT_EQ(words(watcher.page(text)), "error: list Pod in a: the answer is not a list") << text;
    EXPECT_EQ(watcher.next().path, kList) << text;
  }
}

TEST(Watcher, ObjectsLookTheSameFromAListAndFromAWatch) {
  Watcher watcher(pods());
  json item = pod("p", "3");
  item.erase("kind");
  item.erase("apiVersion");
  item["metadata"]["managedFields"] = {{{"manager", "kubectl"}}};
  const auto events = test::must(watcher.page(page({item}, "9")));
  EXPECT_EQ(*std::get<Listed>(events.at(1)).object, pod("p", "3"));
  const auto event = test::must(test::must(watcher.line(watch_line("MODIFIED", pod("p", "10")))));
  EXPECT_EQ(*std::get<Applied>(event).object, pod("p", "10"));
}

}  // namespace
}  // namespace mc::kube
