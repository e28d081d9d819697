#include "services/kubectl-minicluster/view/remedies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Advice advice(const std::string& type, const std::string& reason, const std::string& phase,
              const std::string& text = "") {
  return advice_on({.type = type,
                    .status = type == "Failed" ? "True" : "False",
                    .reason = reason,
                    .phase = phase,
                    .name = "lammps",
                    .text = text});
}

TEST(Remedies, AreWhatTheTablesSayOfAReason) {
  const Advice found = advice("Ready", "Unschedulable", "Starting");
  EXPECT_EQ(found.meaning, "No node fits a pod.");
  EXPECT_THAT(found.remedies, Contains(HasSubstr("Add nodes, request less")));
}

TEST(Remedies, ARowWithAMessageNeedsThatMessage) {
  const std::string quota = "create Job: 403 Forbidden: jobs is forbidden: exceeded quota: few";
  EXPECT_THAT(advice("ObjectsReady", "Refused", "Pending", quota).remedies,
              Contains(StartsWith("The namespace's quota for Jobs")));
  EXPECT_THAT(advice("ObjectsReady", "Refused", "Pending", "denied by policy").remedies,
              Not(Contains(StartsWith("The namespace's quota for Jobs"))));
}

TEST(Remedies, TheLogCountsToo) {
  EXPECT_THAT(
      advice("Failed", "CommandFailed", "Failed", "alloc denied due to type=\"unsatisfiable\"")
          .remedies,
      Contains(HasSubstr("queuePolicy: easy")));
}

TEST(Remedies, OfRowsForSeveralPhasesThatOfThisPhaseCounts) {
  EXPECT_THAT(advice("ObjectsReady", "Refused", "Running").remedies,
              Contains(HasSubstr("Restore the size")));
  EXPECT_THAT(advice("ObjectsReady", "Refused", "Pending").remedies,
              Not(Contains(HasSubstr("Restore the size"))));
}

TEST(Remedies, KueuesReasonsAreFoundByTheirMessages) {
  EXPECT_THAT(advice("Ready", "Pending", "Queued",
                     "couldn't assign flavors to pod set main: current podset request (64) > "
                     "maximum capacity (8)")
                  .remedies,
              Contains(HasSubstr("It never fits")));
}

TEST(Remedies, NameTheMiniCluster) {
  EXPECT_THAT(advice("Failed", "CommandFailed", "Failed").remedies,
              Contains(HasSubstr("kubectl minicluster logs lammps")));
}

TEST(Remedies, ArePlainText) {
  EXPECT_THAT(advice("Ready", "PodFailing", "Starting").remedies,
              ElementsAre("A pod fails with a reserved code: docs/pods.md#exit-codes has a remedy "
                          "for each code."));
}

TEST(Remedies, ACauseThatTheMessageShowsIsToldInThePhaseInWhichItOccurs) {
  EXPECT_THAT(advice("Ready", "ImagePullFailed", "Starting",
                     "pod lammps-0-abcde, container flux-view: ErrImagePull: no such host")
                  .remedies,
              ElementsAre(StartsWith("An image is misspelt"),
                          StartsWith("Nodes cannot pull the Flux view")));
}

TEST(Remedies, OfAnUnknownReasonThereAreNone) {
  const Advice none = advice("Ready", "Whatever", "Starting");
  EXPECT_EQ(none.meaning, "");
  EXPECT_THAT(none.remedies, IsEmpty());
}

TEST(Patterns, HaveTheirPartsInOrder) {
  EXPECT_TRUE(
      has_pattern("a: 403 Forbidden: b exceeded quota: c", "... 403 ... exceeded quota: ..."));
  EXPECT_FALSE(has_pattern("exceeded quota: c 403", "... 403 ... exceeded quota: ..."));
  EXPECT_TRUE(
      has_pattern("secret \"x-curve-12\" not found", "secret \"NAME-curve-...\" not found"));
  EXPECT_FALSE(has_pattern("", "flux-view"));
}

}  // namespace
}  // namespace mc::kubectl
