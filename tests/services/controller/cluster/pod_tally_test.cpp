#include "services/controller/cluster/pod_tally.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace mc::controller {
namespace {

api::Amounts cpus(int count) { return {{"cpu", api::Quantity(count)}}; }

// `BROKERS+OTHERS` by what each requests.
std::map<std::string, std::string> words(const PodTally& tally) {
  std::map<std::string, std::string> out;
  for (const PodGroup& group : tally.groups()) {
    out[group.requests.at("cpu").str()] =
        std::to_string(group.brokers) + "+" + std::to_string(group.others);
  }
  return out;
}

using Words = std::map<std::string, std::string>;

TEST(PodTally, CountsPodsByWhatTheyRequest) {
  PodTally tally;
  for (int i = 0; i < 3; ++i) tally.add(cpus(2), true);
  tally.add(cpus(1), true);
  tally.add(cpus(2), false);
  EXPECT_EQ(words(tally), (Words{{"1", "1+0"}, {"2", "3+1"}}));
}

TEST(PodTally, WhatIsCountedNowhereIsNotRemoved) {
  PodTally tally;
  tally.add(cpus(2), true);
  tally.remove({});
  EXPECT_EQ(words(tally), (Words{{"2", "1+0"}}));
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
      there[number] = {one, tally.add(one, random() % 5 > 0)};
    }
    PodTally fresh;
    for (const auto& [unused, known] : there) fresh.add(known.requests, known.place.is_broker);
    ASSERT_EQ(words(tally), words(fresh)) << "step " << step;
  }
}

}  // namespace
}  // namespace mc::controller
