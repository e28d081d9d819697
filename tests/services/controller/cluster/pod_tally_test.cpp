#include "services/controller/cluster/pod_tally.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace mc::controller {
namespace {

api::Amounts cpus(int count) { return {{"cpu", api::Quantity(count)}}; }

using Counts = std::map<std::string, std::int64_t>;

// How many pods request so many CPUs.
Counts counts(const PodTally& tally) {
  Counts out;
  for (const EqualPods& group : tally.groups()) out[group.requests.at("cpu").str()] = group.count;
  return out;
}

TEST(PodTally, CountsPodsByWhatTheyRequest) {
  PodTally tally;
  for (int i = 0; i < 3; ++i) tally.add(cpus(2));
  tally.add(cpus(1));
  tally.add(cpus(2));
  EXPECT_EQ(counts(tally), (Counts{{"1", 1}, {"2", 4}}));
}

TEST(PodTally, WhatIsCountedNowhereIsNotRemoved) {
  PodTally tally;
  tally.add(cpus(2));
  tally.remove(nullptr);
  EXPECT_EQ(counts(tally), (Counts{{"2", 1}}));
}

TEST(PodTally, AfterAnyChangesItIsThatOfThePodsThatAreThere) {
  struct Counted {
    api::Amounts requests;
    PodTally::Place place;
  };
  std::mt19937 random(1);
  PodTally tally;
  std::map<int, Counted> there;
  for (int step = 0; step < 2000; ++step) {
    const int number = static_cast<int>(random() % 20);
    if (const auto known = there.find(number); known != there.end()) {
      tally.remove(known->second.place);
      there.erase(known);
    } else {
      const api::Amounts one = cpus(static_cast<int>(random() % 4));
      there[number] = {one, tally.add(one)};
    }
    PodTally fresh;
    for (const auto& [unused, known] : there) fresh.add(known.requests);
    ASSERT_EQ(counts(tally), counts(fresh)) << "step " << step;
  }
}

}  // namespace
}  // namespace mc::controller
