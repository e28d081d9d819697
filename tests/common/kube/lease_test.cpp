#include "common/kube/lease.h"

#include <gtest/gtest.h>

#include <vector>

namespace mc::kube {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;
using TimePoint = std::chrono::steady_clock::time_point;

const TimePoint kSeen{std::chrono::hours{1}};

json held_by(const json& identity, const json& duration = 15) {
  return {{"metadata", {{"name", "x"}, {"resourceVersion", "7"}}},
          {"spec",
           {{"holderIdentity", identity},
            {"leaseDurationSeconds", duration},
            {"leaseTransitions", 3},
            {"acquireTime", "2020-01-01T00:00:00.000000Z"},
            {"renewTime", "2020-01-01T00:00:00.000000Z"}}}};
}

TEST(Decide, ByHolderAndAge) {
  struct Row {
    const char* name;
    json lease;
    seconds age;  // since its last observed change
    LeaseAction wanted;
  };
  const std::vector<Row> rows = {
      {"there is none", nullptr, seconds{0}, LeaseAction::Acquire},
      {"ours", held_by("me"), seconds{0}, LeaseAction::Renew},
      {"ours, and old", held_by("me"), seconds{99}, LeaseAction::Renew},
      {"another's, just observed, however old its own times are", held_by("other"), seconds{0},
       LeaseAction::Wait},
      {"another's, almost over", held_by("other"), seconds{14}, LeaseAction::Wait},
      {"another's, over", held_by("other"), seconds{15}, LeaseAction::Acquire},
      {"another's with a longer time of its own", held_by("other", 60), seconds{59},
       LeaseAction::Wait},
      {"another's with a shorter time of its own", held_by("other", 5), seconds{5},
       LeaseAction::Acquire},
      {"released", held_by(""), seconds{0}, LeaseAction::Acquire},
      {"no spec", {{"metadata", json::object()}}, seconds{0}, LeaseAction::Acquire},
      {"an empty spec", {{"spec", json::object()}}, seconds{0}, LeaseAction::Acquire},
      {"a spec that is no object", {{"spec", "me"}}, seconds{0}, LeaseAction::Acquire},
      {"a holder that is no text", held_by(42), seconds{0}, LeaseAction::Acquire},
      {"no duration: ours counts", held_by("other", nullptr), seconds{14}, LeaseAction::Wait},
      {"no duration, over", held_by("other", nullptr), seconds{15}, LeaseAction::Acquire},
      {"a duration below one: ours counts", held_by("other", -1), seconds{14}, LeaseAction::Wait},
      {"a duration that is no number", held_by("other", "1"), seconds{14}, LeaseAction::Wait},
      {"another's whose name begins as ours", held_by("me_2"), seconds{0}, LeaseAction::Wait},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(decide({row.lease, kSeen}, "me", kSeen + row.age, LeaseTimes{}), row.wanted)
        << row.name;
  }
}

TEST(ObservedLease, AgesUntilItsSpecChanges) {
  ObservedLease observed;
  set_observed(observed, held_by("other"), kSeen);
  EXPECT_EQ(observed.since, kSeen);

  json labelled = held_by("other");
  labelled["metadata"]["labels"]["a"] = "b";
  labelled["metadata"]["resourceVersion"] = "8";
  set_observed(observed, labelled, kSeen + seconds{2});
  EXPECT_EQ(observed.since, kSeen);
  EXPECT_EQ(observed.lease, labelled);

  json renewed = labelled;
  renewed["spec"]["renewTime"] = "2020-01-01T00:00:00.000001Z";
  set_observed(observed, renewed, kSeen + seconds{4});
  EXPECT_EQ(observed.since, kSeen + seconds{4});

  set_observed(observed, nullptr, kSeen + seconds{6});
  EXPECT_EQ(observed.since, kSeen + seconds{6});
}

const system_clock::time_point kWall =
    system_clock::time_point(seconds{1'769'846'400}) + std::chrono::microseconds{42};

TEST(Claimed, MakesTheFirstOne) {
  EXPECT_EQ(claimed(nullptr, "me", kWall, LeaseTimes{}),
            json({{"spec",
                   {{"holderIdentity", "me"},
                    {"leaseDurationSeconds", 15},
                    {"leaseTransitions", 0},
                    {"acquireTime", "2026-01-31T08:00:00.000042Z"},
                    {"renewTime", "2026-01-31T08:00:00.000042Z"}}}}));
}

TEST(Claimed, RenewsOnlyTheTime) {
  json wanted = held_by("me");
  wanted["spec"]["renewTime"] = "2026-01-31T08:00:00.000042Z";
  EXPECT_EQ(claimed(held_by("me"), "me", kWall, LeaseTimes{}), wanted);
}

TEST(Claimed, CountsTheChangeOfHolderAndKeepsWhatElseIsThere) {
  json other = held_by("other", 5);
  other["metadata"]["labels"]["a"] = "b";
  other["spec"]["strategy"] = "OldestEmulationVersion";
  json wanted = other;
  wanted["spec"]["holderIdentity"] = "me";
  wanted["spec"]["leaseDurationSeconds"] = 2;  // whole seconds, rounded up
  wanted["spec"]["leaseTransitions"] = 4;
  wanted["spec"]["acquireTime"] = "2026-01-31T08:00:00.000042Z";
  wanted["spec"]["renewTime"] = "2026-01-31T08:00:00.000042Z";
  LeaseTimes times;
  times.lease_duration = std::chrono::milliseconds{1500};
  EXPECT_EQ(claimed(other, "me", kWall, times), wanted);
}

TEST(Claimed, RepairsASpecThatIsNone) {
  EXPECT_EQ(claimed({{"spec", "x"}}, "me", kWall, LeaseTimes{})["spec"]["leaseTransitions"], 1);
}

TEST(Released, IsNobodys) {
  json wanted = held_by("", 1);
  wanted["spec"]["renewTime"] = "2026-01-31T08:00:00.000042Z";
  const json lease = released(held_by("me"), kWall);
  EXPECT_EQ(lease, wanted);
  EXPECT_EQ(decide({lease, kSeen}, "other", kSeen, LeaseTimes{}), LeaseAction::Acquire);
}

}  // namespace
}  // namespace mc::kube
