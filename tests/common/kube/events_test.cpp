#include "common/kube/events.h"

#include <gtest/gtest.h>

namespace mc::kube {
namespace {

const auto kNow = std::chrono::system_clock::time_point(std::chrono::seconds{1'700'000'000});
const EventSource kSource{"minicluster-controller", "controller-0"};
const ObjectReference kCluster = {.api_version = "flux-framework.org/v1alpha2",
                                  .kind = "MiniCluster",
                                  .ns = "hpc",
                                  .name = "lammps",
                                  .uid = "u-1",
                                  .resource_version = "7"};

TEST(MakeEvent, SaysWhatHappenedToWhom) {
  EXPECT_EQ(make_event(kCluster, EventType::Warning, "JobFailed", "exit code 1", kSource, kNow),
            json::parse(R"({
    "apiVersion": "v1", "kind": "Event",
    "metadata": {"name": "lammps.40a389ed29b9f04c", "namespace": "hpc"},
    "involvedObject": {"apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
      "namespace": "hpc", "name": "lammps", "uid": "u-1", "resourceVersion": "7"},
    "type": "Warning", "reason": "JobFailed", "message": "exit code 1",
    "source": {"component": "minicluster-controller"},
    "reportingComponent": "minicluster-controller", "reportingInstance": "controller-0",
    "firstTimestamp": "2023-11-14T22:13:20Z", "lastTimestamp": "2023-11-14T22:13:20Z",
    "count": 1})"));
}

TEST(MakeEvent, OfAnObjectOfTheWholeClusterGoesToDefault) {
  const ObjectReference node{.api_version = "", .kind = "Node", .name = "n"};
  const auto event = make_event(node, EventType::Normal, "R", "m", kSource, kNow);
  EXPECT_EQ(event["metadata"]["namespace"], "default");
  EXPECT_EQ(event["involvedObject"], json({{"kind", "Node"}, {"name", "n"}}));
  EXPECT_EQ(event["type"], "Normal");
}

TEST(MakeEvent, CutsTheMessageBetweenCharacters) {
  const auto message = [](const std::string& text) {
    return make_event(kCluster, EventType::Normal, "R", text, kSource, kNow)["message"]
        .get<std::string>();
  };
  const std::string fits(1024, 'x');
  EXPECT_EQ(message(fits), fits);
  EXPECT_EQ(message(fits + "y"), fits);
  const std::string two = "\xC3\xA9";           // 2 bytes
  const std::string four = "\xF0\x9F\x9A\x80";  // 4 bytes
  const std::string head(1022, 'x');
  EXPECT_EQ(message(head + two + "y"), head + two);
  EXPECT_EQ(message(head + "x" + two), head + "x");
  EXPECT_EQ(message(head + four), head);
}

TEST(MakeEvent, CutsALongNameSoThatItIsOneStill) {
  ObjectReference object = kCluster;
  object.name = std::string(253, 'n');
  const auto event = make_event(object, EventType::Normal, "R", "m", kSource, kNow);
  EXPECT_EQ(event["metadata"]["name"], std::string(236, 'n') + ".6db288df7cf26f9d");
}

TEST(MakeEvent, HasTheSameNameWhereItSaysTheSameOfTheSame) {
  const auto name = [](const ObjectReference& object, EventType type, std::string_view reason,
                       std::string_view message, int second) {
    return make_event(object, type, reason, message, kSource, kNow + std::chrono::seconds(second))
        .at("metadata")
        .at("name");
  };
  const json first = name(kCluster, EventType::Warning, "PodFailing", "pod a", 0);
  EXPECT_EQ(name(kCluster, EventType::Warning, "PodFailing", "pod b", 9), first);
  EXPECT_NE(name(kCluster, EventType::Warning, "Unschedulable", "pod a", 0), first);
  EXPECT_NE(name(kCluster, EventType::Normal, "PodFailing", "pod a", 0), first);
  ObjectReference namesake = kCluster;
  namesake.uid = "u-2";
  EXPECT_NE(name(namesake, EventType::Warning, "PodFailing", "pod a", 0), first);
}

TEST(MakeEvent, SeveralOfOneReasonAreKeptApartByWhichTheyAre) {
  const auto name = [](std::string_view which) {
    return make_event(kCluster, EventType::Warning, "JobsEnded", "x", kSource, kNow, which)
        .at("metadata")
        .at("name");
  };
  EXPECT_EQ(name("pod a"), name("pod a"));
  EXPECT_NE(name("pod a"), name("pod b"));
  EXPECT_NE(name("pod a"), name(""));
}

TEST(Again, CountsAndTellsTheLatest) {
  const json event = make_event(kCluster, EventType::Warning, "R", "now", kSource, kNow);
  EXPECT_EQ(
      count_patch({{"metadata", {{"uid", "e"}, {"resourceVersion", "9"}}}, {"count", 41}}, event),
      json::parse(
          R"({"metadata": {"uid": "e", "resourceVersion": "9"}, "count": 42, "message": "now",
      "lastTimestamp": "2023-11-14T22:13:20Z", "reportingInstance": "controller-0"})"));
  EXPECT_EQ(count_patch(json::object(), event)["count"], 2);
}

}  // namespace
}  // namespace mc::kube
