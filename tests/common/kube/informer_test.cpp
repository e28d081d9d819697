#include "common/kube/informer.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tests/common/kube/answers.h"
#include "tests/common/kube/manual_clock.h"
#include "tests/common/kube/transport_to.h"
#include "tests/support/loopback_server.h"

namespace mc::kube {
namespace {

using std::chrono::seconds;

json list(const std::vector<json>& items, const std::string& version) {
  return {{"metadata", {{"resourceVersion", version}}}, {"items", items}};
}

std::string event_line(const char* type, const json& object) {
  return watch_line(type, object) + "\n";
}

// Records words from several threads, and waits for them.
class Record {
 public:
  void add(const std::string& word) {
    std::scoped_lock lock(mutex_);
    words_.push_back(word);
    changed_.notify_all();
  }
  // All words, once there are `count`, or after half a minute.
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds{30}, [&] { return words_.size() >= count; });
    return words_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> words_;
};

// A server that answers the n-th list and watch with the n-th script. A watch without a script
// stays open until the test ends.
class InformerTest : public testing::Test {
 protected:
  struct WatchScript {
    std::vector<std::string> lines = {};
    int status = 200;
    bool whole = true;
    seconds lasts{0};
  };

  void start() {
    server_.routes().Get("/api/v1/pods", [this](const auto& request, auto& response) {
      if (!request.has_param("watch")) return answer_list(response);
      asked_.add(request.get_param_value("resourceVersion"));
      answer_watch(response);
    });
    server_.start();
    transport_ = transport_to(server_.url());
    InformerHooks hooks;
    store_.listen([this](const Change<json>& change) {
      changes_.add(change.key +
                   (change.after ? "@" + std::to_string(change.after.version()) : " gone"));
    });
    hooks.on_synced = [this] { synced_.add(std::to_string(store_.size())); };
    hooks.log = [this](const std::string& sentence) { log_.add(sentence); };
    hooks.works = [this](bool works) { works_.add(works ? "works" : "fails"); };
    hooks.is_permanent = [](const Error& error) { return error.kind == ErrorKind::NotFound; };
    informer_.emplace(*transport_, store_, clock_,
                      Scope{.resource = kPods, .has_bookmarks = has_bookmarks_}, hooks);
    thread_ = std::jthread([this](std::stop_token stop) { informer_->run(stop); });
  }

  ~InformerTest() override {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    let_go_.set_value();
  }

  void answer_list(httplib::Response& response) {
    std::scoped_lock lock(mutex_);
    while_listing_(list_count_);
    const auto body = lists_.at(std::min(list_count_++, lists_.size() - 1));
    response.status = body.value("code", 200);
    response.set_content(body.dump(), "application/json");
  }

  void answer_watch(httplib::Response& response) {
    std::scoped_lock lock(mutex_);
    const bool scripted = watch_count_ < watches_.size();
    const auto watch = scripted ? watches_[watch_count_++] : WatchScript{};
    response.status = watch.status;
    response.set_chunked_content_provider(
        "application/json", [this, watch, scripted](std::size_t, httplib::DataSink& sink) {
          if (!scripted) {
            gone_.wait();
            return false;
          }
          clock_.advance(watch.lasts);
          for (const auto& each : watch.lines) sink.write(each.data(), each.size());
          if (watch.whole) sink.done();
          return watch.whole;
        });
  }

  std::promise<void> let_go_;
  std::shared_future<void> gone_ = let_go_.get_future().share();
  std::mutex mutex_;
  std::vector<json> lists_;
  std::vector<WatchScript> watches_;
  std::size_t list_count_ = 0;
  std::size_t watch_count_ = 0;
  std::function<void(std::size_t number)> while_listing_ = [](std::size_t) {};
  bool has_bookmarks_ = true;

  ManualClock clock_;
  Store<json> store_;
  Record asked_;    // resourceVersion of each watch
  Record changes_;  // "a/p@1", "a/p gone"
  Record log_;
  Record works_;
  Record synced_;                // the store's size at each sync
  test::LoopbackServer server_;  // last, because its handlers use the others until it has stopped
  std::unique_ptr<Transport> transport_;
  std::optional<Informer> informer_;
  std::jthread thread_;
};

using Words = std::vector<std::string>;

TEST_F(InformerTest, ListsThenWatchesThenGoesOnWhereTheWatchEnded) {
  lists_ = {list({pod("p", "1")}, "5")};
  watches_ = {
      {.lines = {event_line("ADDED", pod("q", "6")), event_line("DELETED", pod("p", "7"))}}};
  start();
  EXPECT_EQ(changes_.wait_for(3), (Words{"a/p@1", "a/q@6", "a/p gone"}));
  EXPECT_EQ(asked_.wait_for(2), (Words{"5", "7"}));
  EXPECT_EQ(log_.wait_for(1), (Words{"Listed Pod in all namespaces: 1"}));
  EXPECT_TRUE(store_.synced());
  EXPECT_EQ(store_.get("a/p"), nullptr);
  EXPECT_NE(store_.get("a/q"), nullptr);
}

TEST_F(InformerTest, ListsAgainWhenItsVersionIsGoneAndReportsWhatVanished) {
  lists_ = {list({pod("p", "1"), pod("q", "2")}, "5"), list({pod("q", "2")}, "9")};
  watches_ = {{.lines = {event_line("ERROR", {{"kind", "Status"},
                                              {"code", 410},
                                              {"reason", "Expired"},
                                              {"message", "too old resource version"}})}}};
  start();
  EXPECT_EQ(changes_.wait_for(3), (Words{"a/p@1", "a/q@2", "a/p gone"}));
  EXPECT_EQ(asked_.wait_for(2), (Words{"5", "9"}));
  EXPECT_EQ(log_.wait_for(3),
            (Words{"Listed Pod in all namespaces: 2",
                   "Cannot follow Pod in all namespaces, trying again: watch Pod in all "
                   "namespaces: 410 Expired: too old resource version",
                   "Listed Pod in all namespaces: 1"}));
}

// The API server may have made the list before the write.
TEST_F(InformerTest, WhatIsLearnedWhileAListIsUnderWayStays) {
  lists_ = {list({}, "5"), list({}, "9")};
  watches_ = {{.lines = {event_line("ERROR", {{"kind", "Status"}, {"code", 410}})}}};
  while_listing_ = [this](std::size_t number) {
    if (number == 1) store_.learn(std::make_shared<const json>(pod("new", "12")));
  };
  start();
  EXPECT_EQ(synced_.wait_for(2), (Words{"0", "1"}));
  EXPECT_NE(store_.get("a/new"), nullptr);
  EXPECT_EQ(changes_.wait_for(0), Words{});
}

TEST_F(InformerTest, SaysOnceThatItIsInTroubleAndOnceThatItIsOut) {
  const json down = {{"kind", "Status"}, {"code", 503}, {"message", "starting"}};
  lists_ = {down, down, list({}, "5")};
  watches_ = {{.lines = {event_line("ADDED", pod("q", "6"))}}};
  start();
  EXPECT_EQ(log_.wait_for(3),
            (Words{"Cannot follow Pod in all namespaces, trying again: list Pod in all "
                   "namespaces: 503: starting",
                   "Listed Pod in all namespaces: 0", "Watching Pod in all namespaces again"}));
  EXPECT_EQ(works_.wait_for(2), (Words{"fails", "works"}));
}

TEST_F(InformerTest, SaysThatItHasListedOnceAllChangesAreTold) {
  lists_ = {list({pod("p", "3"), pod("q", "4")}, "5")};
  start();
  EXPECT_EQ(synced_.wait_for(1), (Words{"2"}));
  EXPECT_EQ(changes_.wait_for(0), (Words{"a/p@3", "a/q@4"}));
}

TEST_F(InformerTest, AWatchThatIsCutGoesOnFromTheLastEvent) {
  lists_ = {list({}, "5")};
  watches_ = {{.lines = {event_line("ADDED", pod("q", "6"))}, .whole = false}};
  start();
  EXPECT_EQ(asked_.wait_for(2), (Words{"5", "6"}));
  EXPECT_EQ(changes_.wait_for(1), (Words{"a/q@6"}));
}

// As when the API server restarts.
TEST_F(InformerTest, AQuietWatchThatEndsGoesOnWithoutAList) {
  lists_ = {list({pod("p", "1")}, "5")};
  watches_ = {{.lasts = seconds{2}}, {.lasts = seconds{100}}, {}, {.lasts = seconds{2}}};
  start();
  EXPECT_EQ(asked_.wait_for(5), (Words{"5", "5", "5", "5", "5"}));
  EXPECT_EQ(log_.wait_for(2),
            (Words{"Listed Pod in all namespaces: 1",
                   "Cannot follow Pod in all namespaces, trying again: watch Pod in all "
                   "namespaces: ended at once"}));
}

// An etcd restored to an earlier version would make a watch from our version wait.
TEST_F(InformerTest, AWatchThatLastedWithoutABookmarkListsAgain) {
  lists_ = {list({pod("p", "1")}, "500"), list({}, "400")};
  watches_ = {{.lasts = seconds{290}}};
  start();
  EXPECT_EQ(asked_.wait_for(2), (Words{"500", "400"}));
  EXPECT_EQ(changes_.wait_for(2), (Words{"a/p@1", "a/p gone"}));
}

TEST_F(InformerTest, AWatchThatHasNoBookmarksListsAgainWithoutAWord) {
  has_bookmarks_ = false;
  lists_ = {list({pod("p", "1")}, "500"), list({}, "400")};
  watches_ = {{.lasts = seconds{290}}};
  start();
  EXPECT_EQ(asked_.wait_for(2), (Words{"500", "400"}));
  EXPECT_EQ(log_.wait_for(2),
            (Words{"Listed Pod in all namespaces: 1", "Listed Pod in all namespaces: 0"}));
}

TEST_F(InformerTest, EndsWhereItIsToGiveUp) {
  lists_ = {{{"kind", "Status"}, {"code", 404}, {"reason", "NotFound"}}};
  start();
  thread_.join();
  EXPECT_EQ(asked_.wait_for(0), Words{});
}

TEST_F(InformerTest, StopsAtOnceWhileItWatches) {
  lists_ = {list({}, "5")};
  start();
  EXPECT_EQ(asked_.wait_for(1), (Words{"5"}));
  thread_.request_stop();
  thread_.join();  // the server keeps its side open
}

TEST_F(InformerTest, StopsAtOnceWhileItWaitsAfterAnError) {
  lists_ = {{{"kind", "Status"}, {"code", 429}, {"details", {{"retryAfterSeconds", 3600}}}}};
  start();
  EXPECT_EQ(log_.wait_for(1).size(), 1u);
  thread_.request_stop();
  thread_.join();
}

}  // namespace
}  // namespace mc::kube
