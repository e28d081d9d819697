#include "certs/rotation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "certs/certificate.h"
#include "tests/certs/fixture.h"

namespace mc::certs {
namespace {

using std::chrono::days;
using std::chrono::minutes;
using std::chrono::seconds;
using TimePoint = std::chrono::system_clock::time_point;

const RotationPolicy kPolicy{"webhook.system.svc", days(365), days(90), minutes(2)};
const TimePoint kStart = std::chrono::floor<seconds>(std::chrono::system_clock::now());

// A world that applies a rotation at once, with two webhook configurations.
class Rotations : public ::testing::Test {
 protected:
  Rotation step() {
    const Rotation rotation = rotate(facts, now, policy).value();
    facts.stored = rotation.desired;
    for (std::string& bundle : facts.bundles) bundle = rotation.bundle;
    facts.trusted = rotation.trusted;
    return rotation;
  }
  void settle() {
    for (int i = 0; i < 5 && !step().log_messages.empty();) ++i;
    step();
  }
  Certificate leaf() const { return Certificate::parse(facts.stored.leaf.certificate).at(0); }
  Certificate authority() const {
    return Certificate::parse(facts.stored.authority.certificate).at(0);
  }
  std::size_t trusted() const { return Certificate::parse(facts.bundles[0]).size(); }

  RotationFacts facts{.stored = {}, .bundles = {"", ""}, .trusted = {}};
  TimePoint now = kStart;
  RotationPolicy policy = kPolicy;
};

TEST(RotationPolicies, WhatNoMountCouldFollowIsAMistake) {
  const auto error = [](seconds authority, seconds leaf, seconds mount) {
    return validate({"webhook.system.svc", authority, leaf, mount});
  };
  EXPECT_EQ(validate(kPolicy), "");
  EXPECT_EQ(error(minutes(12), minutes(4), minutes(2)), "");
  EXPECT_EQ(error(seconds(6), seconds(2), seconds(1)), "");
  EXPECT_EQ(error(minutes(12), seconds(239), minutes(2)),
            "the lifetime of the certificate must be at least twice the mount delay");
  EXPECT_EQ(error(seconds(719), minutes(4), minutes(2)),
            "the lifetime of the certificate authority must be at least three times that of the "
            "certificate");
  EXPECT_EQ(error(seconds(6), seconds(2), seconds(0)), "the mount delay must be at least 1 s");
}

TEST_F(Rotations, TheLivesAreThoseOfWhatIsKept) {
  const Rotation first = step();
  EXPECT_FALSE(first.leaf);
  settle();
  const Rotation settled = step();
  EXPECT_EQ(settled.leaf->not_before, leaf().not_before());
  EXPECT_EQ(settled.leaf->not_after, leaf().not_after());
  EXPECT_EQ(settled.leaf->renewal, leaf().renewal());
  EXPECT_EQ(settled.authority->not_after, authority().not_after());
  EXPECT_EQ(settled.authority->renewal, authority().renewal());
}

TEST_F(Rotations, FromNothingTheAuthorityIsTrustedBeforeItSigns) {
  const Rotation first = step();
  EXPECT_EQ(first.log_messages,
            std::vector<std::string>{"Created an authority, because there was no usable one"});
  EXPECT_EQ(first.desired.leaf.certificate, "");
  EXPECT_EQ(first.bundle, first.desired.authority.certificate);
  const Rotation second = step();
  EXPECT_EQ(second.log_messages,
            std::vector<std::string>{"Signed a certificate, because there was no usable one"});
  EXPECT_TRUE(leaf().signed_by(authority()));
  const Rotation third = step();
  EXPECT_TRUE(third.log_messages.empty());
  EXPECT_EQ(third.next, leaf().renewal());
}

TEST_F(Rotations, WithNoWebhookConfiguredThereIsNothingToWaitFor) {
  facts.bundles.clear();
  EXPECT_EQ(step().log_messages.size(), 2U);
}

TEST_F(Rotations, OneCaBundleBehindHoldsTheLeafBack) {
  step();
  facts.bundles[1] = "";
  EXPECT_TRUE(step().log_messages.empty());
  EXPECT_EQ(step().log_messages.size(), 1U);
}

TEST_F(Rotations, TheLeafIsRenewedAtTwoThirdsOfItsLifeByTheSameAuthority) {
  settle();
  const StoredCertificates before = facts.stored;
  now = leaf().renewal() - seconds(1);
  EXPECT_TRUE(step().log_messages.empty());
  now += seconds(1);
  EXPECT_EQ(step().log_messages.at(0),
            "Signed a certificate, because the last one is due for renewal");
  EXPECT_EQ(facts.stored.authority, before.authority);
  EXPECT_NE(facts.stored.leaf, before.leaf);
  EXPECT_EQ(trusted(), 1U);
}

TEST_F(Rotations, ALeafOfAShortLifeIsRenewedInTimeForEveryMount) {
  policy = {"webhook.system.svc", minutes(20), minutes(5), minutes(2)};
  settle();
  EXPECT_EQ(step().next, now + minutes(5) - minutes(2) - seconds(45));
}

TEST_F(Rotations, AnAuthorityThatWouldCutALeafShortIsRenewed) {
  policy = {"webhook.system.svc", minutes(20), minutes(5), minutes(2)};
  settle();
  const Certificate old = authority();
  policy = kPolicy;
  settle();
  EXPECT_FALSE(authority() == old);
  EXPECT_TRUE(leaf().signed_by(old)) << "it is good until it is due";
  now = leaf().renewal();
  settle();
  EXPECT_EQ(leaf().not_after(), now + days(90));
}

TEST_F(Rotations, AForeignAuthorityThatIsValidForCenturiesStaysTrusted) {
  const std::string foreign = testing::make_pem("foreign", std::chrono::years(1000)).certificate;
  facts.bundles = {foreign, foreign};
  settle();
  const auto all = Certificate::parse(facts.bundles[0]);
  EXPECT_NE(std::ranges::find(all, Certificate::parse(foreign).at(0)), all.end());
}

TEST_F(Rotations, ALeafWithADamagedBlockIsReplacedBecauseTheWebhookRefusesIt) {
  settle();
  facts.stored.leaf.certificate += testing::damaged(testing::make_pem("a").certificate);
  EXPECT_EQ(step().log_messages.at(0), "Signed a certificate, because there was no usable one");
  EXPECT_EQ(facts.stored.leaf.certificate, leaf().pem());
}

TEST_F(Rotations, AnAuthorityDeletedAgainAndAgainDoesNotFillTheBundleWithoutEnd) {
  settle();
  const Certificate signer = authority();
  for (int i = 0; i < 30; ++i) {
    facts.stored.authority = {};
    settle();
    now += seconds(10);
  }
  EXPECT_EQ(trusted(), 17U);
  const auto all = Certificate::parse(facts.bundles[0]);
  EXPECT_TRUE(leaf().signed_by(signer));
  EXPECT_NE(std::ranges::find(all, signer), all.end()) << "it signed what is served";
}

TEST_F(Rotations, ANewAuthorityStandsBesideTheOldAndWaitsBeforeItTakesALeafOver) {
  settle();
  const Certificate old = authority();
  while (leaf().renewal() < old.renewal()) {
    now = leaf().renewal();
    settle();
  }
  now = leaf().renewal();  // both are due
  EXPECT_EQ(step().log_messages.at(0),
            "Created an authority, because the last one is due for renewal");
  EXPECT_EQ(trusted(), 2U);
  EXPECT_TRUE(leaf().signed_by(old));
  const Certificate last = leaf();
  const Rotation waiting = step();
  EXPECT_TRUE(waiting.log_messages.empty());
  EXPECT_EQ(waiting.next, now + minutes(1));
  now = waiting.next;
  EXPECT_EQ(step().log_messages.size(), 1U);
  EXPECT_TRUE(leaf().signed_by(authority()));
  EXPECT_EQ(trusted(), 2U);
  now = last.not_after() - seconds(1);
  settle();
  EXPECT_EQ(trusted(), 2U);
  now = last.not_after();
  settle();
  EXPECT_EQ(trusted(), 1U);
  EXPECT_TRUE(facts.stored.retired.empty());
}

TEST_F(Rotations, AnAuthorityThatACaBundleStillShowsIsNotTakenForANewOne) {
  settle();
  const std::string old = facts.stored.authority.certificate;
  facts.stored.authority = {};
  settle();
  now += days(90);
  step();
  for (int i = 0; i < 3; ++i) {
    facts.bundles[1] += old;  // the write that removes it was lost
    EXPECT_EQ(Certificate::parse(step().bundle).size(), 1U);
    EXPECT_EQ(facts.stored.retired.size(), 1U);
    now += days(1);
  }
  settle();
  EXPECT_TRUE(facts.stored.retired.empty());
}

struct Damage {
  const char* name;
  void (*act)(RotationFacts& facts);
  bool new_leaf, new_authority;
  std::size_t trusted;
};

TEST_F(Rotations, WhatIsDamagedIsMadeAnewAndWhatIsTrustedStays) {
  for (const Damage& damage : std::vector<Damage>{
           {"nothing", [](RotationFacts&) {}, false, false, 1},
           {"leaf Secret gone", [](auto& f) { f.stored.leaf = {}, f.stored.bundle = ""; }, true,
            false, 1},
           {"leaf no PEM", [](auto& f) { f.stored.leaf.certificate = "x"; }, true, false, 1},
           {"leaf's key gone", [](auto& f) { f.stored.leaf.key = ""; }, true, false, 1},
           {"leaf's key another's", [](auto& f) { f.stored.leaf.key = f.stored.authority.key; },
            true, false, 1},
           {"leaf by a stranger",
            [](auto& f) {
              const Pem stranger = make_authority(kStart, days(365)).value();
              f.stored.leaf = make_server(stranger, kPolicy.dns_name, kStart, days(90)).value();
            },
            true, false, 1},
           {"leaf of another name",
            [](auto& f) {
              f.stored.leaf =
                  make_server(f.stored.authority, "other.system.svc", kStart, days(90)).value();
            },
            true, false, 1},
           {"bundle beside the leaf gone", [](auto& f) { f.stored.bundle = ""; }, false, false, 1},
           {"caBundle empty", [](auto& f) { f.bundles[0] = ""; }, false, false, 1},
           {"caBundle no PEM", [](auto& f) { f.bundles[1] = "x"; }, false, false, 1},
           {"caBundle with a stranger",
            [](auto& f) { f.bundles[1] += make_authority(kStart, days(365)).value().certificate; },
            false, false, 2},
           {"authority Secret gone",
            [](auto& f) { f.stored.authority = {}, f.stored.retired.clear(); }, false, true, 2},
           {"authority's key gone", [](auto& f) { f.stored.authority.key = ""; }, false, true, 2},
           {"authority no authority", [](auto& f) { f.stored.authority = f.stored.leaf; }, false,
            true, 2},
           {"both Secrets gone", [](auto& f) { f.stored = {}; }, true, true, 2},
           {"all gone", [](auto& f) { f.stored = {}, f.bundles = {"", ""}; }, true, true, 1},
       }) {
    SCOPED_TRACE(damage.name);
    facts = {.stored = {}, .bundles = {"", ""}, .trusted = {}};
    settle();
    const StoredCertificates before = facts.stored;
    damage.act(facts);
    settle();
    EXPECT_EQ(facts.stored.leaf != before.leaf, damage.new_leaf);
    EXPECT_EQ(facts.stored.authority != before.authority, damage.new_authority);
    EXPECT_EQ(facts.bundles[0], facts.bundles[1]);
    EXPECT_EQ(facts.stored.bundle, facts.bundles[0]);
    EXPECT_EQ(trusted(), damage.trusted);
    EXPECT_TRUE(leaf().serves(kPolicy.dns_name) && leaf().has_key(facts.stored.leaf.key));
    now += minutes(2);
    EXPECT_TRUE(step().log_messages.empty());
  }
}

}  // namespace
}  // namespace mc::certs
