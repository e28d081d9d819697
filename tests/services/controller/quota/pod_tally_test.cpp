#include "services/controller/quota/pod_tally.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace mc::controller::quota {
namespace {

json pod(int cpus, bool is_broker = true, const char* phase = "Running") {
  json out = {{"spec", {{"containers", {{{"requests", {{"cpu", cpus}}}}}}}},
              {"status", {{"phase", phase}}}};
  if (is_broker) out["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] = "0";
  return out;
}

// `BROKERS+OTHERS` by what each requests.
std::map<std::string, std::string> words(const PodTally& tally) {
  std::map<std::string, std::string> out;
  for (const PodGroup& group : tally.groups()) {
    out[dump(group.spec["containers"][0]["requests"]["cpu"])] =
        std::to_string(group.brokers) + "+" + std::to_string(group.others);
  }
  return out;
}

using Words = std::map<std::string, std::string>;

TEST(PodTally, CountsPodsByWhatTheyRequest) {
  PodTally tally;
  for (int i = 0; i < 3; ++i) tally.add(pod(2));
  tally.add(pod(1));
  tally.add(pod(2, false));
  EXPECT_EQ(words(tally), (Words{{"1", "1+0"}, {"2", "3+1"}}));
}

TEST(PodTally, APodThatHasEndedHoldsNothing) {
  PodTally tally;
  for (const char* phase : {"Succeeded", "Failed"}) tally.remove(tally.add(pod(2, true, phase)));
  EXPECT_EQ(words(tally), Words{});
  tally.add(pod(2, true, "Pending"));
  EXPECT_EQ(words(tally), (Words{{"2", "1+0"}}));
}

TEST(PodTally, AfterAnyChangesItIsThatOfThePodsThatAreThere) {
  std::mt19937 random(1);
  PodTally tally;
  std::map<int, std::pair<json, PodTally::Place>> there;
  for (int step = 0; step < 2000; ++step) {
    const int number = static_cast<int>(random() % 20);
    if (const auto known = there.find(number); known != there.end()) {
      tally.remove(known->second.second);
      there.erase(known);
    } else {
      const json one = pod(static_cast<int>(random() % 4), random() % 5 > 0,
                           random() % 4 > 0 ? "Running" : "Failed");
      there[number] = {one, tally.add(one)};
    }
    PodTally fresh;
    for (const auto& [unused, known] : there) fresh.add(known.first);
    ASSERT_EQ(words(tally), words(fresh)) << "step " << step;
  }
}

}  // namespace
}  // namespace mc::controller::quota
