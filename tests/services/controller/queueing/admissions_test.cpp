#include "services/controller/queueing/admissions.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing::test {
namespace {

using Texts = std::vector<std::string>;

// The admission of lab/a, with 4 pods.
Admissions one() {
  Admissions out;
  out.add({"lab/a", "job", 4, at(0)});
  return out;
}

TEST(Admissions, AreOverOnceTheJobHasDoneWhatTheyAllowOrNothingCanComeOfThem) {
  struct Case {
    std::string what;
    Workload workload;
    bool is_over;
  };
  Workload by_hand = workload(4);
  by_hand.start = {cpus(4), 4};
  const Case cases[] = {
      {"it waits", waiting_workload(4), false},
      {"it runs", running_workload(4), true},
      {"it runs with more", running_workload(5), true},
      {"it is to grow and has not", running_workload(3), false},
      {"its Job is another one", waiting_workload(4, "another"), true},
      {"its Job is gone", Workload(), true},
      {"somebody else has suspended its Job", by_hand, true},
  };
  for (const Case& of : cases) {
    Admissions admissions = one();
    Workload seen = of.workload;
    if (seen.runs && seen.size < 4) seen.growth = {cpus(4 - seen.size), 4};
    admissions.settle("lab/a", seen, at(1));
    EXPECT_EQ(admissions.find("lab/a") == nullptr, of.is_over) << of.what;
    EXPECT_EQ(admissions.done(), of.is_over ? Texts{"job"} : Texts()) << of.what;
  }
}

TEST(Admissions, ThatAreNotWantedLapseOnceNoRequestCanTakeEffectAnyMore) {
  Admissions admissions = one();
  Workload unwanted = waiting_workload(4);
  unwanted.start = {};
  admissions.settle("lab/a", unwanted, at(0));
  EXPECT_EQ(admissions.next(), at(120));
  admissions.settle("lab/a", waiting_workload(4), at(60));
  EXPECT_EQ(admissions.next(), std::nullopt) << "it is wanted again";
  admissions.settle("lab/a", unwanted, at(100));
  EXPECT_EQ(admissions.lapsed(at(219)), Texts());
  EXPECT_EQ(admissions.lapsed(at(220)), Texts{"lab/a"});
  admissions.settle("lab/a", unwanted, at(220));
  EXPECT_EQ(admissions.find("lab/a"), nullptr);
}

TEST(Admissions, ThatAreWithheldGrantNothingAndLapseToo) {
  Admissions admissions = one();
  EXPECT_NE(admissions.granted("lab/a"), nullptr);
  EXPECT_TRUE(admissions.withhold("lab/a", true));
  EXPECT_FALSE(admissions.withhold("lab/a", true)) << "it is already";
  EXPECT_EQ(admissions.granted("lab/a"), nullptr);
  EXPECT_NE(admissions.find("lab/a"), nullptr) << "it still counts";
  admissions.settle("lab/a", waiting_workload(4), at(0));
  EXPECT_EQ(admissions.next(), at(120));
}

// Others may be over by the time the log is written.
TEST(Admissions, ThatAreOverAreRemovedFromTheLogOnce) {
  Admissions admissions({{"lab/a", "job-a", 4}, {"lab/b", "job-b", 4}});
  admissions.settle("lab/a", Workload(), at(0));
  admissions.settle("lab/b", Workload(), at(0));
  EXPECT_EQ(admissions.done(), (Texts{"job-a", "job-b"}));
  admissions.remove_done(1);
  EXPECT_EQ(admissions.done(), Texts{"job-b"});
}

TEST(Admissions, TakeAllThatTheyAllowBesideWhatIsUsed) {
  const Entry entry{"lab/a", "job", 4, at(0)};
  EXPECT_EQ(amounts_of(waiting_workload(4), entry), cpus(4));
  EXPECT_EQ(amounts_of(waiting_workload(3), entry), cpus(4)) << "it may grow again";
  EXPECT_EQ(amounts_of(running_workload(3), entry), cpus(1));
  EXPECT_TRUE(amounts_of(running_workload(4), entry).empty());
}

}  // namespace
}  // namespace mc::controller::queueing::test
