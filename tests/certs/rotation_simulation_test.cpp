#include <gtest/gtest.h>

#include <random>

#include "certs/certificate.h"
#include "certs/rotation.h"

namespace mc::certs {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;
using TimePoint = std::chrono::system_clock::time_point;

constexpr seconds kKubelet{120};  // until a mount shows a changed Secret

// Years of a cluster: writes are lost, the controller restarts and is away for days, objects are
// deleted and damaged, and each of three webhooks shows what its kubelet last gave it.
class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  void run(int rounds) {
    for (int i = 0; i < rounds && !::testing::Test::HasFailure(); ++i) {
      if (one_in(4)) damage();
      work_until_quiet();
      // Late by up to 20 of the 30 days that a leaf has left then; once, not at each step of it.
      const bool is_far = next_ - now_ > hours(1);
      const auto away = is_far && one_in(3) ? hours(number(20 * 24)) : hours(0);
      pass_time_to(std::max(now_, next_) + away);
    }
  }

  int leaves = 0, authorities = 0;
  TimePoint now() const { return now_; }

 private:
  struct Webhook {
    std::string leaf;
    TimePoint refresh;
  };

  int number(int below) { return std::uniform_int_distribution<>(0, below - 1)(random_); }
  bool one_in(int many) { return number(many) == 0; }

  void work_until_quiet() {
    for (int quiet = 0; quiet < 2;) {
      if (one_in(5)) facts_.trusted.reset();  // a new controller
      quiet = pass() ? 0 : quiet + 1;
      repaired_ = repaired_ || quiet > 0;
      pass_time_to(now_ + seconds(number(100)));
      if (::testing::Test::HasFailure()) return;
    }
  }

  // One pass, cut short at random as a lost connection would; whether there was anything to write.
  bool pass() {
    const Rotation rotation = rotate(facts_, now_, policy_).value();
    facts_.trusted = rotation.trusted;
    next_ = rotation.next;
    bool wrote = false;
    if (facts_.kept.authority != rotation.kept.authority ||
        facts_.kept.retired != rotation.kept.retired) {
      wrote = true;
      if (one_in(4)) return true;
      authorities += facts_.kept.authority == rotation.kept.authority ? 0 : 1;
      facts_.kept.authority = rotation.kept.authority;
      facts_.kept.retired = rotation.kept.retired;
    }
    for (std::string& bundle : facts_.bundles) {
      if (bundle == rotation.bundle) continue;
      wrote = true;
      if (one_in(4)) return true;
      bundle = rotation.bundle;
      check();
    }
    if (facts_.kept.leaf != rotation.kept.leaf || facts_.kept.bundle != rotation.kept.bundle) {
      wrote = true;
      if (one_in(4)) return true;
      leaves += facts_.kept.leaf == rotation.kept.leaf ? 0 : 1;
      facts_.kept.leaf = rotation.kept.leaf;
      facts_.kept.bundle = rotation.kept.bundle;
      for (Webhook& webhook : webhooks_) webhook.refresh = now_ + seconds(number(120)) + seconds(1);
      webhooks_[0].refresh = now_;  // one that starts just now
      pass_time_to(now_);
    }
    return wrote;
  }

  void pass_time_to(TimePoint then) {
    const bool far = then - now_ > kKubelet;
    if (far) pass_time_to(now_ + kKubelet);
    now_ = then;
    for (Webhook& webhook : webhooks_) {
      const bool there = !facts_.kept.leaf.certificate.empty();
      if (there && webhook.refresh <= now_) webhook.leaf = facts_.kept.leaf.certificate;
    }
    if (repaired_) check();
  }

  // What is done to one object; the leaf that webhooks have read stays theirs.
  void damage() {
    switch (number(6)) {
      case 0:
        facts_.kept.leaf = {}, facts_.kept.bundle = "";
        break;
      case 1:
        facts_.kept.leaf.key = "damaged";
        // A webhook keeps the pair it has, for this one cannot be used.
        for (Webhook& webhook : webhooks_) webhook.refresh = TimePoint::max();
        break;
      case 2:
        facts_.kept.authority = {}, facts_.kept.retired.clear();
        break;
      case 3:
        facts_.kept.authority.key = "damaged";
        break;
      default:
        facts_.bundles[static_cast<std::size_t>(number(2))] = one_in(2) ? "" : "damaged";
        repaired_ = false;  // until a pass has ended well
    }
  }

  // The invariant: what is served is alive, and verifies in every configuration.
  void check() {
    for (const Webhook& webhook : webhooks_) {
      if (webhook.leaf.empty()) continue;
      const Certificate leaf = Certificate::parse(webhook.leaf).at(0);
      ASSERT_TRUE(leaf.valid_at(now_)) << "after " << leaves << " leaves";
      for (const std::string& bundle : facts_.bundles) {
        if (!repaired_ && (bundle.empty() || bundle == "damaged")) continue;
        bool verified = false;
        for (const Certificate& authority : Certificate::parse(bundle)) {
          verified = verified || (authority.valid_at(now_) && leaf.signed_by(authority));
        }
        ASSERT_TRUE(verified) << "after " << leaves << " leaves and " << authorities
                              << " authorities";
      }
    }
  }

  const RotationPolicy policy_{"webhook.system.svc", days(365), days(90)};
  std::mt19937 random_;
  TimePoint now_ = std::chrono::floor<seconds>(std::chrono::system_clock::now());
  TimePoint next_ = now_;
  RotationFacts facts_{.kept = {}, .bundles = {"", ""}, .trusted = {}};
  std::vector<Webhook> webhooks_{3};
  bool repaired_ = true;
};

TEST(RotationSimulation, WhatIsServedVerifiesAtEveryMoment) {
  const TimePoint start = std::chrono::system_clock::now();
  std::chrono::duration<double, std::ratio<31556952>> years{0};
  int leaves = 0, authorities = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.run(120);
    if (HasFatalFailure() || HasFailure()) return;
    years += world.now() - start;
    leaves += world.leaves;
    authorities += world.authorities;
  }
  std::cout << years.count() << " years, " << leaves << " leaves, " << authorities
            << " authorities\n";
  EXPECT_GT(years.count(), 40 * 5);
  EXPECT_GT(authorities, 40 * 5);
}

}  // namespace
}  // namespace mc::certs
