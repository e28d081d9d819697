#include <string>

#include "tests/integration/quota_story.h"
#include "tests/support/eventually.h"
#include "tests/support/plugin.h"

// What a FluxSetup's queue says of starts, on a real API server with the real Job controller and
// scheduler.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// One runs and ends within 630 s, and `next` is the first that waits.
class StartTimes : public QuotaStory {
 protected:
  void SetUp() override {
    QuotaStory::SetUp();
    kubectl.must({"create", "priorityclass", kEmergency, "--value=1000"});
    limit({{"hard", {{"pods", "3"}}},
           {"queueingStrategy", "EASYBackfill"},
           {"namespaces", {{{"priorityClassNames", {kEmergency}}}}},
           {"overridePriorityClassNames", {kEmergency}}});
    submit("first", 2, {{"deadlineSeconds", 600}});
    is("first", "Running");
    submit("next", 2, {{"deadlineSeconds", 600}});
    is("next", "Waiting");
    EXPECT_TRUE(eventually([&] { return !start("promisedStartTime").empty(); }));
  }
  void TearDown() override {
    kubectl.must({"delete", "priorityclass", kEmergency});
    QuotaStory::TearDown();
  }

  std::string start(const char* field) {
    return kubectl.get({"mc", "next"})["status"].value(field, "");
  }

  static constexpr const char* kEmergency = "start-times-emergency";
  Plugin plugin{kubectl};
};

TEST_F(StartTimes, TheFirstThatWaitsIsPromisedItsStartAlsoByTheNextLeader) {
  const std::string promised = start("promisedStartTime");
  EXPECT_TRUE(eventually([&] { return start("estimatedStartTime") >= promised; }))
      << "in steps, without runs to compare with";
  EXPECT_THAT(quota_says("next", "False Waiting"),
              HasSubstr(" It starts at " + promised + " at the latest."));
  EXPECT_THAT(plugin({"get", "--start"}).out, AllOf(ContainsRegex("STARTS +LATEST\n"),
                                                    ContainsRegex("next .* in 1[0-9]m.*in 10m")));
  EXPECT_THAT(plugin({"queue"}).out,
              ContainsRegex("NAME +PODS +PHASE +now.*\nfirst +2 +(Running|Starting) .*\\|-+\n"
                            "next +2 +Waiting +\\| +=+\n#"));
  EXPECT_THAT(plugin({"explain", "next"}).out, HasSubstr("(" + promised + ")"));
  Stage::get().without_controller();
  submit("later", 3);
  Stage::get().with_controller();
  is("later", "Waiting");
  EXPECT_EQ(start("promisedStartTime"), promised);
  end_lead("first", 0);
  is("next", "Running");
  EXPECT_EQ(start("promisedStartTime") + start("estimatedStartTime"), "");
}

TEST_F(StartTimes, APromiseThatAnEmergencyDelaysIsTold) {
  const std::string promised = start("promisedStartTime");
  submit("emergency", 3, {{"priorityClassName", kEmergency}, {"deadlineSeconds", 600}});
  EXPECT_THAT(quota_says("next", "False StartDelayed"),
              HasSubstr(" The queue promised a start at " + promised + " at the latest"));
  EXPECT_TRUE(eventually([&] {
    return !kubectl.items({"events", "--field-selector", "reason=StartDelayed"}).empty();
  }));
  EXPECT_EQ(start("promisedStartTime"), promised);
  end_lead("first", 0);
  is("emergency", "Running");
  end_lead("emergency", 0);
  is("next", "Running");
}

}  // namespace
}  // namespace mc::test
