#include "services/controller/cluster/read.h"

#include <gtest/gtest.h>

#include <string>

#include "common/base/json.h"
#include "common/base/rfc3339.h"

namespace mc::controller {
namespace {

TEST(Metadata, HasTheOwnerThatIsTheController) {
  const Namespace read = read_namespace(json::parse(R"({"metadata": {
      "name": "a", "namespace": "lab", "uid": "u", "resourceVersion": "7",
      "ownerReferences": [{"kind": "Other", "name": "o", "uid": "x"},
                          {"kind": "Job", "name": "j", "uid": "y", "controller": true}]}})"));
  EXPECT_EQ(read.metadata.name, "a");
  EXPECT_EQ(read.metadata.ns, "lab");
  EXPECT_EQ(read.metadata.uid, "u");
  EXPECT_EQ(read.metadata.version, 7U);
  EXPECT_EQ(owner_key(read.metadata, "Job"), "lab/j");
  EXPECT_EQ(read.metadata.owner.uid, "y");
}

TEST(Metadata, WhatIsNotOfItsTypeIsAbsent) {
  for (const char* text : {"null", "[]", "{}", R"({"metadata": 1})",
                           R"({"metadata": {"name": 1, "resourceVersion": "x", "labels": [],
                               "ownerReferences": [1, {"controller": true}]}})",
                           R"({"metadata": {"resourceVersion": "-7", "labels": {"a": 1}}})"}) {
    const Namespace read = read_namespace(json::parse(text));
    EXPECT_EQ(read.metadata.name + read.metadata.owner.uid.str(), "") << text;
    EXPECT_EQ(read.metadata.version, 0U) << text;
    EXPECT_TRUE(read.labels.empty()) << text;
  }
}

TEST(PriorityClass, HasAValueOf32Bits) {
  const auto value = [](const json& of) { return read_priority_class({{"value", of}}).value; };
  EXPECT_EQ(value(1000), 1000);
  EXPECT_EQ(value(-5), -5);
  EXPECT_EQ(value(1LL << 40), 2147483647);
  EXPECT_EQ(value("1"), 0);
}

json event(const char* kind, const std::string& name, const std::string& message) {
  return {
      {"metadata", {{"name", "e"}, {"namespace", "lab"}, {"uid", "u"}, {"resourceVersion", "7"}}},
      {"involvedObject", {{"kind", kind}, {"name", name}, {"uid", "its"}}},
      {"message", message}};
}

std::string refused(const std::string& job, const std::string& message) {
  return read_refusal(event("Job", job, message)).message;
}

TEST(Refusal, LeavesOutTheNameThatIsAnotherEachTime) {
  const struct {
    const char *job, *message, *expected;
  } cases[] = {
      {"sample", "pods \"sample-1-x7k2p\" is forbidden", "pods \"sample-*\" is forbidden"},
      {"sample", "sample-0-abcde and sample-12-zz9qd", "sample-* and sample-*"},
      {"sample", "quota sample-1-small is full", "quota sample-* is full"},
      {"sample", "quota team-1-small is full", "quota team-1-small is full"},
      {"sample", "my-sample-1-x7k2p", "my-sample-1-x7k2p"},
      {"sample", "sample-1-x7k2", "sample-1-x7k2"},
      {"sample", "sample-x-x7k2p", "sample-x-x7k2p"},
      {"sample", "sample--x7k2p", "sample--x7k2p"},
      {"a-1-bcdef", "a-1-bcdef-0-x7k2p", "a-1-bcdef-*"},
      {"sample", "", ""},
      {"sample", "(combined from similar events): no room", "no room"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(refused(c.job, c.message), c.expected) << c.message;
  }
  // The Job controller truncates a Job's name so that the pod's name has 63 characters.
  const std::string job(60, 'a');
  const std::string pod = std::string(55, 'a') + "-0-x7k2p";
  EXPECT_EQ(refused(job, "pods \"" + pod + "\""), "pods \"" + job + "-*\"");
}

TEST(Events, KeepWhenTheyHappenedLast) {
  json one = event("Job", "sample", "m");
  const auto time = [&] {
    const auto last = read_refusal(one).time;
    return last ? rfc3339(*last) : "";
  };
  EXPECT_EQ(time(), "");
  one["eventTime"] = "2026-01-01T00:00:01.123456Z";
  EXPECT_EQ(time(), "2026-01-01T00:00:01Z");
  one["lastTimestamp"] = "2026-01-01T00:00:02Z";
  EXPECT_EQ(time(), "2026-01-01T00:00:02Z");
  one["series"]["lastObservedTime"] = "2026-01-01T00:00:03.000000Z";
  EXPECT_EQ(time(), "2026-01-01T00:00:03Z");
}

TEST(MountFailure, BelongsToItsPodAndKeepsNoTextOfOthers) {
  const Event ours = read_mount_failure(event("Pod", "sample-0-x7k2p", std::string(5000, 'x')));
  EXPECT_EQ(ours.metadata.owner.uid, "its");
  EXPECT_EQ(owner_key(ours.metadata, "Pod"), "lab/sample-0-x7k2p");
  EXPECT_EQ(owner_key(ours.metadata, "Job"), "");
  EXPECT_EQ(ours.message.size(), 1024U);
  for (const char* other : {"web-7d4b9c6f5-x7k2p", "db-0", "job-x7k2p"}) {
    EXPECT_EQ(read_mount_failure(event("Pod", other, "m")).message, "") << other;
  }
}

TEST(Nodes, AreNotReadyWithTheWordsOfTheirCondition) {
  const auto not_ready = [](const char* conditions) {
    return read_node({{"status", {{"conditions", json::parse(conditions)}}}}).not_ready;
  };
  EXPECT_EQ(not_ready(R"([{"type": "MemoryPressure", "status": "Unknown"},
                          {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
                           "message": "Kubelet stopped posting node status."}])"),
            (Reason{"NodeStatusUnknown", "Kubelet stopped posting node status."}));
  EXPECT_EQ(not_ready(R"([{"type": "Ready", "status": "True", "reason": "KubeletReady"}])"),
            std::nullopt);
  EXPECT_EQ(not_ready(R"([{"type": "Ready", "status": 1}])"), (Reason{"", ""}));
  EXPECT_EQ(not_ready("[]"), std::nullopt);
  EXPECT_EQ(not_ready("{}"), std::nullopt);
}

}  // namespace
}  // namespace mc::controller
