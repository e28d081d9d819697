#include "services/controller/cache/watches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "services/controller/cluster/read.h"
#include "tests/common/kube/fixed_answer.h"

namespace mc::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The API server's discovery answer for the group.
json group(std::initializer_list<const char*> versions) {
  json out = {{"kind", "APIGroup"}, {"name", "kueue.x-k8s.io"}, {"versions", json::array()}};
  for (const char* version : versions) {
    out["versions"].push_back(
        {{"groupVersion", std::string("kueue.x-k8s.io/") + version}, {"version", version}});
  }
  return out;
}

TEST(WorkloadWatch, TakesTheNewestVersionThatBothSidesKnow) {
  const auto version = [](const json& answer) {
    const auto found = served_workloads(answer);
    return found ? std::string(found->version) : "";
  };
  EXPECT_EQ(version(group({"v1beta2", "v1beta1", "v1alpha1"})), "v1beta2");
  EXPECT_EQ(version(group({"v1beta1", "v1alpha1"})), "v1beta1");
  EXPECT_EQ(version(group({"v1alpha1"})), "");
  EXPECT_EQ(version(json::object()), "");
  EXPECT_EQ(version(json()), "");
}

// The first line of the log.
std::string logged_for(kube::Response response) {
  kube::FixedAnswer server(std::move(response));
  kube::Store<Workload> store(read_workload);
  const SystemClock clock;
  std::stop_source stop;
  std::string out;
  kube::InformerHooks hooks;
  hooks.log = [&](const std::string& sentence) {
    out = sentence;
    stop.request_stop();
  };
  follow_workloads(server, store, clock, "", hooks, stop.get_token());
  return out;
}

TEST(WorkloadWatch, AnErrorIsNotTakenForAClusterWithoutKueue) {
  EXPECT_EQ(logged_for({.status = 404, .body = ""}),
            "The API server serves no Workloads of Kueue; checking again twice a minute");
  EXPECT_THAT(logged_for({.status = 500, .body = ""}), HasSubstr(": 500"));
  EXPECT_THAT(logged_for({.status = 200, .body = group({"v9"}).dump()}),
              HasSubstr("only in versions that this controller does not know"));
}

// Answers the n-th request with the n-th status, and then with the last.
class Answers final : public kube::WithoutStreams {
 public:
  explicit Answers(std::vector<int> statuses) : statuses_(std::move(statuses)) {}
  Result<kube::Response> send(const kube::Request&) override {
    const int status = statuses_[std::min(sent_++, statuses_.size() - 1)];
    return kube::Response{
        .status = status,
        .body = status == 200 ? R"({"metadata":{"resourceVersion":"1"},"items":[]})" : ""};
  }

 private:
  const std::vector<int> statuses_;
  std::size_t sent_ = 0;
};

// What a watch of Volcano's PodGroups says, and what it then offers.
std::vector<std::string> told_by(kube::Transport& server) {
  Caches caches;
  kube::Store<PodGroup> store(
      [](const json& group) { return read_pod_group(api::GangKind::Volcano, group); });
  const SystemClock clock;
  std::stop_source stop;
  std::vector<std::string> out;
  kube::InformerHooks hooks;
  hooks.log = [&](const std::string& sentence) { out.push_back(sentence); };
  hooks.on_synced = [&] {
    out.push_back(caches.gang("lab").of(api::GangKind::Volcano).api_version);
    stop.request_stop();
  };
  follow_pod_groups(server, caches, api::GangKind::Volcano, store, clock, "", hooks,
                    stop.get_token());
  return out;
}

TEST(PodGroupWatch, AnApiServerThatDoesNotAnswerForAMomentHasNotLostItsPodGroups) {
  for (const int passing : {429, 503}) {
    Answers server({passing, passing, 200});
    EXPECT_THAT(told_by(server),
                ElementsAre(HasSubstr("; trying again"), HasSubstr("Listed PodGroup"),
                            "scheduling.volcano.sh/v1beta1"));
  }
}

// Does not answer at first.
class Unreachable final : public kube::WithoutStreams {
 public:
  Result<kube::Response> send(const kube::Request&) override {
    if (++sent_ < 3) return fail(ErrorKind::Unavailable, "cannot connect");
    return kube::Response{.status = 404, .body = ""};
  }

 private:
  int sent_ = 0;
};

TEST(PodGroupWatch, NothingIsKnownBeforeTheApiServerAnswers) {
  Unreachable server;
  EXPECT_THAT(told_by(server),
              ElementsAre("cannot connect; trying again", HasSubstr("serves no PodGroups"), ""));
}

// Lists an object, then refuses to watch it.
class Refuses final : public kube::WithoutStreams {
 public:
  Result<kube::Response> send(const kube::Request&) override {
    ++lists;
    return kube::Response{
        .status = 200,
        .body = R"({"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"b",)"
                R"("namespace":"lab","uid":"u","resourceVersion":"1"}}]})"};
  }
  Result<void> stream(const kube::Request&, std::stop_token,
                      const std::function<bool(std::string_view)>&) override {
    if (++watches == 2) stop.request_stop();
    return fail(ErrorKind::Forbidden, "not yet");
  }

  int lists = 0, watches = 0;
  std::stop_source stop;
};

TEST(PodDisruptionBudgetWatch, ARefusalThatPassesForgetsNothing) {
  Refuses server;
  Caches caches;
  auto& store = caches.pod_disruption_budgets.stores().begin()->second;
  const SystemClock clock;
  const auto all = watches(caches);
  const auto watch = std::ranges::find(all, true, &StoreWatch::may_be_forbidden);
  ASSERT_NE(watch, all.end());
  follow_if_served(server, *watch, clock, {}, server.stop.get_token());
  EXPECT_EQ(server.watches, 2);
  EXPECT_EQ(server.lists, 1);
  EXPECT_EQ(store.size(), 1U);
}

}  // namespace
}  // namespace mc::controller
