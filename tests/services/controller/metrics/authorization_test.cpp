#include "services/controller/metrics/authorization.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "tests/common/kube/fixed_answer.h"
#include "tests/common/kube/manual_clock.h"
#include "tests/support/eventually.h"

namespace mc::controller {
namespace {

using namespace std::chrono_literals;

// In place of the API server: tokens of users with and without permission.
class Reviewer final : public kube::WithoutStreams {
 public:
  Result<kube::Response> send(const kube::Request& request) override {
    ++asked;
    if (!down.empty()) return fail(ErrorKind::Unavailable, down);
    if (status != 201) return kube::Response{status, "{}"};
    const json spec = json::parse(request.body).at("spec");
    if (request.path.ends_with("/tokenreviews")) {
      const auto user = users.find(spec.at("token"));
      if (user == users.end()) return kube::created({{"error", "invalid bearer token"}});
      return kube::created({{"authenticated", true}, {"user", {{"username", user->second}}}});
    }
    return kube::created({{"allowed", spec.at("user") == may}});
  }

  std::map<std::string, std::string> users{{"t-prometheus", "prometheus"}, {"t-other", "other"}};
  std::string may = "prometheus";
  std::string down;
  int status = 201;
  std::atomic<int> asked = 0;
};

class MetricsAccessTest : public ::testing::Test {
 protected:
  // The answer as `401 line`; "" for the metrics.
  std::string refusal(const std::string& authorization) {
    const auto refused = access_.refusal({"GET", "/metrics", "", authorization});
    return refused ? std::to_string(refused->status) + " " + refused->body : "";
  }

  // Runs the background reviews until the API server has received `asked` requests in total.
  void ask_again(int asked) {
    std::jthread asker([this](const std::stop_token& stop) { access_.run(stop); });
    EXPECT_TRUE(mc::test::eventually([&] { return api_.asked == asked; })) << api_.asked;
  }

  Reviewer api_;
  kube::ManualClock clock_;
  MetricsAccess access_{api_, clock_};
};

constexpr const char* kNobodys = "401 the bearer token is unknown\n";
constexpr const char* kNoMore = "403 user \"prometheus\" may not get path \"/metrics\"\n";
constexpr const char* kAway =
    "503 cannot check who may read the metrics: the API server is unavailable, try again\n";
constexpr const char* kTooMany = "429 too many unknown tokens, try again in a second\n";

TEST_F(MetricsAccessTest, WithoutABearerTokenNobodyIsAsked) {
  for (const char* authorization : {"", "Bearer", "Bearer ", "Bearer   ", "Basic dXNlcjpwYXNz",
                                    "t-prometheus", "Bearert-prometheus"}) {
    EXPECT_EQ(refusal(authorization), "401 a bearer token is needed\n") << authorization;
  }
  EXPECT_EQ(api_.asked, 0);
}

TEST_F(MetricsAccessTest, IsForThoseWhoMay) {
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  EXPECT_EQ(refusal("Bearer t-other"), "403 user \"other\" may not get path \"/metrics\"\n");
  EXPECT_EQ(refusal("Bearer garbage"), kNobodys);
}

TEST_F(MetricsAccessTest, TheSchemeIsOfAnyCaseAndSpacesAreNoPartOfTheToken) {
  EXPECT_EQ(refusal("bearer   t-prometheus "), "");
  EXPECT_EQ(refusal("BEARER t-prometheus"), "");
  EXPECT_EQ(api_.asked, 2) << "it is the same token";
}

TEST_F(MetricsAccessTest, AVerdictIsKeptForItsTime) {
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  EXPECT_EQ(api_.asked, 2);
  api_.may = "nobody";
  clock_.advance(59s);
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  EXPECT_EQ(api_.asked, 2);
  clock_.advance(1s);
  EXPECT_EQ(refusal("Bearer t-prometheus"), kNoMore);
  EXPECT_EQ(api_.asked, 4);
  api_.may = "prometheus";
  clock_.advance(29s);
  EXPECT_NE(refusal("Bearer t-prometheus"), "");
  clock_.advance(1s);
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
}

TEST_F(MetricsAccessTest, WhoComesAgainDoesNotWaitForTheApiServer) {
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  clock_.advance(29s);
  EXPECT_EQ(refusal("Bearer t-prometheus"), "") << "too soon to ask again";
  clock_.advance(1s);
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  EXPECT_EQ(refusal("Bearer t-prometheus"), "") << "once is enough";
  ask_again(4);
  api_.down = "no route";
  clock_.advance(59s);
  EXPECT_EQ(refusal("Bearer t-prometheus"), "") << "kept from the second time on";
  clock_.advance(1s);
  EXPECT_EQ(refusal("Bearer t-prometheus").substr(0, 3), "503");
}

TEST_F(MetricsAccessTest, WhoMayNoMoreIsNotLetInOnceThatIsHeard) {
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  api_.may = "nobody";
  clock_.advance(30s);
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  ask_again(4);
  EXPECT_EQ(refusal("Bearer t-prometheus"), kNoMore);
}

TEST_F(MetricsAccessTest, InventedTokensLoadNobodyAndShutOutNobody) {
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  clock_.advance(60s);
  api_.asked = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(refusal("Bearer x" + std::to_string(i)), i < 10 ? kNobodys : kTooMany);
  }
  EXPECT_EQ(api_.asked, 10);
  EXPECT_EQ(refusal("Bearer x0"), kNobodys) << "known by now";
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  EXPECT_EQ(refusal("Bearer t-other"), kTooMany);
  clock_.advance(1s);
  EXPECT_EQ(refusal("Bearer t-other"), "403 user \"other\" may not get path \"/metrics\"\n");
}

TEST_F(MetricsAccessTest, WithoutAnAnswerNothingIsKeptAndTheReasonIsForTheLogOnly) {
  testing::internal::CaptureStderr();
  api_.down = "create TokenReview: no route to 10.0.0.1";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(refusal("Bearer t-prometheus"), kAway);
  api_.down.clear();
  EXPECT_EQ(refusal("Bearer t-prometheus"), "");
  const std::string log = testing::internal::GetCapturedStderr();
  const auto first = log.find("no route to 10.0.0.1");
  EXPECT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("no route to 10.0.0.1", first + 1), std::string::npos) << "said once: " << log;
  EXPECT_EQ(log.find("t-prometheus"), std::string::npos) << log;
}

TEST_F(MetricsAccessTest, WithoutTheRightToAskItIsTheControllersFault) {
  api_.status = 403;
  EXPECT_EQ(refusal("Bearer t-prometheus"),
            "500 the controller cannot check who may read the metrics, see its log\n");
  api_.status = 429;
  EXPECT_EQ(refusal("Bearer t-prometheus"), kAway);
}

constexpr AccessCache::TimePoint kStart{1h};

AccessVerdict allowed() { return {}; }
AccessVerdict refused() { return {401, "no"}; }

// How many of a hundred requests may ask the API server at that moment.
int asked(AccessCache& cache, const std::string& digest, AccessCache::TimePoint now) {
  int count = 0;
  for (int i = 0; i < 100; ++i) count += cache.may_ask(digest, now) ? 1 : 0;
  return count;
}

TEST(RateLimiter, IsOfEverySecondWhereverItBegins) {
  RateLimiter limit;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limit.take(kStart + i * 90ms));
  EXPECT_FALSE(limit.take(kStart + 999ms));
  EXPECT_TRUE(limit.take(kStart + 1000ms));
  EXPECT_FALSE(limit.take(kStart + 1089ms)) << "ten since 90 ms";
  EXPECT_TRUE(limit.take(kStart + 1090ms));
}

TEST(AccessCache, KnowsWhoIsAllowedForAMinuteAndWhoIsNotForHalf) {
  AccessCache cache;
  EXPECT_FALSE(cache.find("a", kStart));
  cache.keep("a", allowed(), kStart);
  cache.keep("b", refused(), kStart);
  EXPECT_TRUE(cache.find("a", kStart + 59s)->allowed());
  EXPECT_FALSE(cache.find("a", kStart + 60s));
  EXPECT_EQ(cache.find("b", kStart + 29s)->status, 401);
  EXPECT_EQ(cache.find("b", kStart + 29s)->why, "no");
  EXPECT_FALSE(cache.find("b", kStart + 30s));
}

TEST(AccessCache, TheNewVerdictTakesTheOldOnesPlace) {
  AccessCache cache;
  cache.keep("a", allowed(), kStart);
  cache.keep("a", refused(), kStart + 60s);
  EXPECT_EQ(cache.find("a", kStart + 61s)->status, 401);
  EXPECT_EQ(cache.size(), 1U);
}

TEST(AccessCache, LetsTenUnknownOnesASecondAsk) {
  AccessCache cache;
  EXPECT_EQ(asked(cache, "x", kStart), 10);
  EXPECT_EQ(asked(cache, "y", kStart + 999ms), 0);
  EXPECT_EQ(asked(cache, "y", kStart + 1s), 10);
}

TEST(AccessCache, UnknownOnesShutNobodyOutWhoWasAllowed) {
  AccessCache cache;
  cache.keep("good", allowed(), kStart);
  EXPECT_EQ(asked(cache, "x", kStart + 60s), 10);
  EXPECT_EQ(asked(cache, "good", kStart + 60s), 10);
  cache.keep("good", refused(), kStart + 60s);
  EXPECT_EQ(asked(cache, "good", kStart + 60s), 0) << "it is one of the others now";
}

TEST(AccessCache, HoldsSixtyFourAndForgetsTheRefusedFirst) {
  AccessCache cache;
  cache.keep("good", allowed(), kStart);
  for (int i = 0; i < 1000; ++i) {
    const std::string digest = std::to_string(i);
    cache.keep(digest, refused(), kStart + 1s + i * 1ms);
    EXPECT_TRUE(cache.find(digest, kStart + 1s + i * 1ms)) << digest;
    EXPECT_EQ(cache.size(), std::min<std::size_t>(static_cast<std::size_t>(i) + 2, 64));
  }
  EXPECT_TRUE(cache.find("good", kStart + 3s));
  EXPECT_TRUE(cache.find("937", kStart + 3s));
  EXPECT_FALSE(cache.find("936", kStart + 3s));
}

TEST(AccessCache, FullOfTheAllowedItForgetsTheOldestOfThem) {
  AccessCache cache;
  for (int i = 0; i < 65; ++i) cache.keep(std::to_string(i), allowed(), kStart + i * 1ms);
  EXPECT_EQ(cache.size(), 64U);
  EXPECT_FALSE(cache.find("0", kStart + 1s));
  EXPECT_TRUE(cache.find("1", kStart + 1s));
  cache.keep("bad", refused(), kStart + 1s);
  EXPECT_EQ(cache.size(), 64U);
  EXPECT_TRUE(cache.find("bad", kStart + 1s));
  EXPECT_FALSE(cache.find("1", kStart + 1s));
}

}  // namespace
}  // namespace mc::controller
