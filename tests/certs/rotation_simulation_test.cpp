#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "certs/certificate.h"
#include "certs/rotation.h"

namespace mc::certs {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using TimePoint = std::chrono::system_clock::time_point;

struct Settings {
  RotationPolicy policy;
  seconds pause;          // maximum between two reconciles while there is work
  seconds away;           // maximum delay of the controller after a due time
  seconds between_harms;  // minimum between restarts and damages
};

// A cluster over many lifetimes of its certificates: writes are lost, the controller restarts and
// is absent, objects are deleted and damaged, and each of three webhooks serves what its kubelet
// mounted last.
class World {
 public:
  World(const Settings& settings, unsigned seed) : settings_(settings), random_(seed) {}

  void run(int rounds) {
    for (int i = 0; i < rounds && !::testing::Test::HasFailure(); ++i) {
      if (harm_comes(4)) damage();
      work_until_quiet();
      // Once, not at each step of a renewal.
      const bool is_far = next_ - now_ > settings_.policy.leaf_lifetime / 20;
      const seconds away = is_far && one_in(3) ? up_to(settings_.away) : seconds(0);
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
  // The caBundle that the API servers use, and when they see the current one.
  struct Heard {
    std::string bundle;
    TimePoint next;
  };

  int number(int below) { return std::uniform_int_distribution<>(0, below - 1)(random_); }
  bool one_in(int many) { return number(many) == 0; }
  seconds up_to(seconds most) { return seconds(number(static_cast<int>(most.count()) + 1)); }
  bool harm_comes(int many) {
    if (now_ < harmed_ + settings_.between_harms || !one_in(many)) return false;
    harmed_ = now_;
    return true;
  }

  void work_until_quiet() {
    for (int quiet = 0; quiet < 2;) {
      if (harm_comes(5)) facts_.trusted.reset();  // a new controller
      quiet = pass() ? 0 : quiet + 1;
      repaired_ = repaired_ || quiet > 0;
      pass_time_to(now_ + up_to(settings_.pause));
      if (::testing::Test::HasFailure()) return;
    }
  }

  // One reconcile, aborted at random as by a lost connection. Returns whether it had anything to
  // write.
  bool pass() {
    const Rotation rotation = rotate(facts_, now_, settings_.policy).value();
    facts_.trusted = rotation.trusted;
    next_ = rotation.next;
    bool wrote = false;
    if (facts_.stored.authority != rotation.desired.authority ||
        facts_.stored.retired != rotation.desired.retired) {
      wrote = true;
      if (one_in(4)) return true;
      authorities += facts_.stored.authority == rotation.desired.authority ? 0 : 1;
      facts_.stored.authority = rotation.desired.authority;
      facts_.stored.retired = rotation.desired.retired;
    }
    for (std::size_t i = 0; i < heard_.size(); ++i) {
      if (facts_.bundles[i] == rotation.bundle) continue;
      wrote = true;
      if (one_in(4)) return true;
      facts_.bundles[i] = rotation.bundle;
      heard_[i].next = now_ + up_to(std::min(seconds(59), settings_.policy.leaf_lifetime / 21));
      check();
    }
    if (facts_.stored.leaf != rotation.desired.leaf ||
        facts_.stored.bundle != rotation.desired.bundle) {
      wrote = true;
      if (one_in(4)) return true;
      leaves += facts_.stored.leaf == rotation.desired.leaf ? 0 : 1;
      // Without a usable leaf the controller does not wait, so an API server with an old caBundle
      // fails briefly.
      const Pem& before = facts_.stored.leaf;
      if (before.certificate.empty() || before.key == "damaged") hear(TimePoint::max());
      facts_.stored.leaf = rotation.desired.leaf;
      facts_.stored.bundle = rotation.desired.bundle;
      for (Webhook& webhook : webhooks_) {
        const bool waits = now_ < webhook.refresh;
        const TimePoint refresh = now_ + up_to(settings_.policy.mount_delay);
        webhook.refresh = waits ? std::min(webhook.refresh, refresh) : refresh;
      }
      webhooks_[0].refresh = now_;  // as if it had just started
      pass_time_to(now_);
    }
    return wrote;
  }

  void hear(TimePoint until) {
    for (std::size_t i = 0; i < heard_.size(); ++i) {
      if (heard_[i].next <= until) heard_[i].bundle = facts_.bundles[i];
    }
  }

  void pass_time_to(TimePoint then) {
    const seconds delay = settings_.policy.mount_delay;
    if (then - now_ > delay) pass_time_to(now_ + delay);
    now_ = then;
    hear(now_);
    for (Webhook& webhook : webhooks_) {
      const bool there = !facts_.stored.leaf.certificate.empty();
      if (there && webhook.refresh <= now_) webhook.leaf = facts_.stored.leaf.certificate;
    }
    if (repaired_) check();
  }

  bool one_waits() const {
    return std::ranges::any_of(webhooks_, [&](const Webhook& one) { return now_ < one.refresh; });
  }

  // Damages one object. Webhooks keep the leaf that they have read.
  void damage() {
    switch (number(6)) {
      case 0:
        facts_.stored.leaf = {}, facts_.stored.bundle = "";
        break;
      case 1:
        facts_.stored.leaf.key = "damaged";
        // A webhook cannot use this pair and keeps its own until the next mount. Lifetimes of
        // minutes are too short for two mounts.
        if (settings_.between_harms > seconds(0) && one_waits()) return;
        for (Webhook& webhook : webhooks_) webhook.refresh = TimePoint::max();
        break;
      case 2:
        facts_.stored.authority = {}, facts_.stored.retired.clear();
        break;
      case 3:
        facts_.stored.authority.key = "damaged";
        break;
      default:
        facts_.bundles[static_cast<std::size_t>(number(2))] = one_in(2) ? "" : "damaged";
        repaired_ = false;  // until a reconcile has succeeded
    }
  }

  // The invariant: the served certificate is valid, and verifies with every configuration.
  void check() {
    for (const Webhook& webhook : webhooks_) {
      if (webhook.leaf.empty()) continue;
      for (std::size_t i = 0; i < heard_.size(); ++i) {
        if (repaired_ || !is_damaged(facts_.bundles[i])) check(webhook.leaf, facts_.bundles[i]);
        if (!is_damaged(heard_[i].bundle)) check(webhook.leaf, heard_[i].bundle);
      }
    }
  }

  static bool is_damaged(const std::string& bundle) {
    return bundle.empty() || bundle == "damaged";
  }
  void check(const std::string& leaf, const std::string& bundle) {
    const Verdict& verdict = verdict_on(leaf, bundle);
    ASSERT_LT(now_, verdict.leaf_end) << "after " << leaves << " leaves";
    ASSERT_LT(now_, verdict.trust_end)
        << "after " << leaves << " leaves and " << authorities << " authorities";
  }

  struct Verdict {
    TimePoint leaf_end;
    TimePoint trust_end;  // of the authorities in the bundle that signed the leaf
  };
  const Verdict& verdict_on(const std::string& leaf_pem, const std::string& bundle) {
    const auto [known, is_new] = verdicts_.try_emplace({leaf_pem, bundle});
    Verdict& verdict = known->second;
    if (is_new) {
      const Certificate leaf = Certificate::parse(leaf_pem).at(0);
      verdict.leaf_end = leaf.not_after();
      for (const Certificate& one : Certificate::parse(bundle)) {
        if (leaf.signed_by(one)) verdict.trust_end = std::max(verdict.trust_end, one.not_after());
      }
    }
    return verdict;
  }

  const Settings settings_;
  std::mt19937 random_;
  TimePoint now_ = std::chrono::floor<seconds>(std::chrono::system_clock::now());
  TimePoint next_ = now_;
  TimePoint harmed_ = now_;
  RotationFacts facts_{.stored = {}, .bundles = {"", ""}, .trusted = {}};
  std::vector<Webhook> webhooks_{3};
  std::vector<Heard> heard_{2};
  bool repaired_ = true;
  // By leaf and bundle, because parsing them is slow.
  std::map<std::pair<std::string, std::string>, Verdict> verdicts_;
};

constexpr int kSeeds = 2;

void simulate(const Settings& settings) {
  ASSERT_EQ(validate(settings.policy), "");
  std::chrono::system_clock::duration time{0};
  int leaves = 0, authorities = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(settings, static_cast<unsigned>(seed));
    const TimePoint start = world.now();
    world.run(80);
    if (::testing::Test::HasFailure()) return;
    time += world.now() - start;
    leaves += world.leaves;
    authorities += world.authorities;
  }
  std::cout << std::chrono::duration_cast<hours>(time).count() << " hours, " << leaves
            << " leaves, " << authorities << " authorities\n";
  EXPECT_GT(time, kSeeds * 5 * settings.policy.authority_lifetime);
  EXPECT_GT(authorities, kSeeds * 5);
}

TEST(RotationSimulation, OverYearsWhatIsServedVerifiesAtEveryMoment) {
  // A leaf is renewed 30 days before its end.
  simulate({.policy = {"webhook.system.svc", days(365), days(90), minutes(2)},
            .pause = seconds(100),
            .away = days(20),
            .between_harms = seconds(0)});
}

TEST(RotationSimulation, WithLivesOfMinutesASlowKubeletIsFollowed) {
  simulate({.policy = {"webhook.system.svc", minutes(20), minutes(5), minutes(2)},
            .pause = seconds(2),
            .away = seconds(2),
            .between_harms = minutes(5)});
}

TEST(RotationSimulation, WithTheShortestLifeForAMountSoItIs) {
  simulate({.policy = {"webhook.system.svc", minutes(12), minutes(4), minutes(2)},
            .pause = seconds(1),
            .away = seconds(1),
            .between_harms = minutes(4)});
}

}  // namespace
}  // namespace mc::certs
