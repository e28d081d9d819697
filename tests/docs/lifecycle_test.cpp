#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "common/api/model/conditions.h"
#include "common/api/schema/schema.h"
#include "services/kubectl-minicluster/view/explain_advice.h"
#include "services/kubectl-minicluster/view/markdown.h"
#include "tests/support/folders.h"

// docs/lifecycle.md documents exactly the reasons of conditions and events.
namespace mc::docs {
namespace {

using test::text_of;
using ::testing::ContainerEq;
using ::testing::IsSubsetOf;

using Words = std::set<std::string>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The capitalized single words between two `mark`s.
Words capital_words(const std::string& text, char mark) {
  Words out;
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const auto end = std::find_if_not(begin, text.end(), is_letter);
    const bool is_word = end != begin && end != text.end() && *end == mark;
    if (is_word && *begin >= 'A' && *begin <= 'Z') out.emplace(begin, end);
  }
  return out;
}

// Literals of the sources that are types of conditions, Kubernetes' reasons, or phases, and not our
// reasons.
const Words& other_literals() {
  static const Words words = capital_words(
      "|Accepted|Complete|Completed|FailureTarget|SuccessCriteriaMet|ConfigMap|ContainerCannotRun|"
      "CrashLoopBackOff|"
      "CreateContainerConfigError|"
      "CreateContainerError|ErrImageNeverPull|ErrImagePull|Error|Failed|False|ImageInspectError|"
      "ImagePullBackOff|InvalidImageName|Job|ObjectsReady|Pending|Pod|PostStartHookError|"
      "FailedIndexes|MaxFailedIndexesExceeded|PodFailurePolicy|QuotaReserved|Reconciling|Stalled|"
      "PreCreateHookError|Ready|RegistryUnavailable|RunContainerError|Running|StartError|Succeeded|"
      "True|",
      '|');
  return words;
}

// The reasons in the sources that set conditions, and those of a failed Job that are passed on.
Words reasons_of_the_controller() {
  Words out = {"BackoffLimitExceeded", "DeadlineExceeded"};
  for (const char* file :
       {"common/api/model/conditions.h", "services/controller/status/status.cpp",
        "services/controller/status/job_conditions.cpp",
        "services/controller/interpret/pod_problems.cpp", "services/controller/interpret/ends.cpp",
        "services/controller/interpret/job_view.cpp", "services/controller/interpret/lost_node.cpp",
        "services/controller/reconcile/lost_job.cpp",
        "services/controller/status/dropped_fields.h"}) {
    const std::string text = text_of(file);
    EXPECT_FALSE(text.empty()) << file;
    out.merge(capital_words(text, '"'));
  }
  for (const std::string& word : other_literals()) out.erase(word);
  return out;
}

// The reasons in one column of the tables below a heading; `column` counts from 1.
Words reasons_of_the_page(const std::string& heading, int column) {
  Words out;
  bool inside = false;
  for (const std::string& line : test::lines_of(text_of("docs/lifecycle.md"))) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (!inside || !line.starts_with("| ")) continue;
    std::istringstream cells(line.substr(1));
    std::string cell;
    for (int i = 0; i < column; ++i) std::getline(cells, cell, '|');
    out.merge(capital_words(cell, '`'));
  }
  return out;
}

Words phases_of_the_picture() {
  Words out;
  for (const std::string& line : test::lines_of(text_of("docs/pictures/lifecycle.svg"))) {
    if (line.find("class=\"phase\"") == line.npos) continue;
    const std::size_t begin = line.find('>') + 1;
    out.insert(line.substr(begin, line.find('<', begin) - begin));
  }
  return out;
}

TEST(Lifecycle, ThePictureShowsEveryPhaseAndNoOther) {
  const json& status = api::schema().at("properties").at("status").at("properties");
  const Words phases = status.at("phase").at("enum").get<Words>();
  EXPECT_THAT(phases_of_the_picture(), ContainerEq(phases));
  EXPECT_THAT(Words(api::kPhases.begin(), api::kPhases.end()), ContainerEq(phases));
}

TEST(Lifecycle, EveryReasonOfAConditionIsDocumented) {
  EXPECT_THAT(reasons_of_the_page("Conditions", 3), ContainerEq(reasons_of_the_controller()));
}

TEST(Lifecycle, EventsHaveTheReasonsOfConditionsButOfThoseThatAreNoNews) {
  Words wanted = reasons_of_the_controller();
  for (const char* silent : {"Starting", "Finished", "NotAccepted"}) wanted.erase(silent);
  EXPECT_THAT(reasons_of_the_page("Events", 2), ContainerEq(wanted));
}

// `kubectl minicluster explain` prints these answers.
TEST(Lifecycle, EveryReasonThatIsNoGoodNewsHasARemedy) {
  const Words fine = {"CommandSucceeded", "Created",  "Finished", "NotAccepted", "NotLimited",
                      "QuorumReached",    "Reserved", "Resumed",  "Starting",    "Valid"};
  for (const std::string& reason : reasons_of_the_controller()) {
    const kubectl::Symptom symptom = {
        .type = "", .status = "", .reason = reason, .phase = "", .name = "m", .text = ""};
    EXPECT_EQ(kubectl::advice_on(symptom).remedies.empty(), fine.contains(reason)) << reason;
  }
}

TEST(Lifecycle, EveryRowOfTheConditionsIsFoundByItsReason) {
  int rows = 0;
  for (const auto& row : kubectl::rows_below(text_of("docs/lifecycle.md"), "Conditions")) {
    ASSERT_EQ(row.size(), 4U);
    for (const std::string& reason : kubectl::code_spans(row[2])) {
      const kubectl::Symptom symptom = {
          .type = row[0], .status = row[1], .reason = reason, .phase = "", .name = "m", .text = ""};
      EXPECT_EQ(kubectl::advice_on(symptom).meaning, kubectl::plain(row[3], "m")) << reason;
      ++rows;
    }
  }
  EXPECT_GT(rows, 30);
}

TEST(Lifecycle, FailuresNameReasonsThatThereAre) {
  const Words told = reasons_of_the_page("When it does not run", 2);
  EXPECT_GE(told.size(), 12U);
  EXPECT_THAT(told, IsSubsetOf(reasons_of_the_controller()));
}

}  // namespace
}  // namespace mc::docs
