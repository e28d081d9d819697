#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

const json kSent = json::parse(R"({
  "apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
  "metadata": {"name": "sample", "namespace": "lab", "uid": "u", "resourceVersion": "7",
               "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z",
               "annotations": {"flux-framework.org/end": "{}", "mine": "kept"},
               "managedFields": [{"manager": "kubectl"}]},
  "spec": {"size": 4, "suspend": true, "services": [{"image": "db"}], "priorityClassName": "high",
           "preemptible": {"maxPreemptions": 3}},
  "status": {"phase": "Running", "selector": "a=b", "jobid": "j", "maximumSize": 8, "size": 4,
             "ready": 3, "active": 4, "succeeded": 0, "failed": 1, "observedGeneration": 3,
             "positionInQueue": 11, "exitCode": 0, "preemptions": 2,
             "estimatedStartTime": "2026-01-02T00:00:00Z", "promisedStartTime": "2026-01-03T00:00:00Z",
             "startTime": "2026-01-01T00:00:10Z", "completionTime": "2026-01-01T00:01:00Z",
             "conditions": [{"type": "Ready", "status": "Unknown", "reason": "Why",
                             "message": "It is so.", "observedGeneration": 2,
                             "lastTransitionTime": "2026-01-01T00:00:20Z"}]}})");

TEST(ReadMiniCluster, WhatTheQueueReadsIsBesideWhatItsOwnerWrote) {
  const MiniCluster read = read_mini_cluster(kSent);
  EXPECT_EQ(read.metadata.name, "sample");
  EXPECT_EQ(read.generation, 3);
  EXPECT_EQ(read.end, "{}");
  EXPECT_EQ(read.max_preemptions, 3);
  EXPECT_EQ(read.size, 4);
  EXPECT_TRUE(read.is_suspended);
  EXPECT_TRUE(read.has_services);
  EXPECT_EQ(read.priority_class, "high");
  const json written = read.written.tree();
  EXPECT_EQ(written["spec"], kSent["spec"]);
  EXPECT_EQ(written["metadata"]["annotations"]["mine"], "kept");
}

// Otherwise every write of the status would be followed by an examination.
TEST(ReadMiniCluster, AStatusIsNoChangeOfWhatItsOwnerWrote) {
  json later = kSent;
  later["metadata"]["resourceVersion"] = "8";
  later["metadata"]["managedFields"] = json::array();
  later["status"]["ready"] = 4;
  EXPECT_EQ(read_mini_cluster(later).written, read_mini_cluster(kSent).written);
  later["metadata"]["labels"]["a"] = "b";
  EXPECT_NE(read_mini_cluster(later).written, read_mini_cluster(kSent).written);
}

TEST(ReadMiniCluster, ThoseThatWereWrittenAlikeDifferOnlyInTheirNames) {
  json other = kSent;
  other["metadata"].update({{"name", "other"}, {"namespace", "yard"}, {"uid", "v"}});
  EXPECT_EQ(read_mini_cluster(other).written, read_mini_cluster(kSent).written);
  json expected = other;
  expected.erase("status");
  for (const char* member : {"resourceVersion", "managedFields", "creationTimestamp"}) {
    expected["metadata"].erase(member);
  }
  EXPECT_EQ(as_written(read_mini_cluster(other)), expected);
}

TEST(ReadMiniCluster, AStatusIsWrittenAsItWasRead) {
  EXPECT_EQ(to_json(read_status(kSent["status"])), kSent["status"]);
  EXPECT_EQ(to_json(ClusterStatus()), (json{{"jobid", ""}, {"selector", ""}}));
}

TEST(ReadMiniCluster, WhatIsNotOfItsTypeIsAbsent) {
  for (const char* text :
       {"null", "[]", R"("text")", R"({"metadata": "x", "spec": [], "status": 7})",
        R"({"metadata": [], "spec": {"size": "4", "suspend": "true", "services": {}},
            "status": {"phase": 1, "ready": "3", "failed": 1.5, "startTime": "soon",
                       "observedGeneration": 1e300, "conditions": {"type": "Ready"}}})"}) {
    const MiniCluster read = read_mini_cluster(json::parse(text));
    EXPECT_EQ(read.metadata.name, "") << text;
    EXPECT_EQ(read.size, 1) << text;
    EXPECT_FALSE(read.is_suspended || read.has_services) << text;
    EXPECT_EQ(read.status, ClusterStatus()) << text;
    EXPECT_TRUE(is_unwritten(read.status)) << text;
  }
  const MiniCluster read = read_mini_cluster(
      json::parse(R"({"status": {"conditions": [1, {"type": ["Complete"], "status": true}]}})"));
  EXPECT_EQ(read.status.conditions.size(), 2U);
  EXPECT_FALSE(is_finished(read.status));
}

}  // namespace
}  // namespace mc::controller
