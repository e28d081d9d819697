#include "tests/integration/transcript.h"

#include "tests/integration/job_pods.h"
#include "tests/support/golden.h"

// docs/transcript.md is the output of this story: the real API server, Job controller, webhook,
// controller and kubectl. The test writes what a kubelet or scheduler would report of a pod.
// UPDATE_GOLDEN=1 regenerates the file.
namespace mc::test {
namespace {

constexpr const char* kBegin =
    R"(# What kubectl shows

A test wrote this page from what `kubectl` answered, and compares it with every run: points of time, ages and the random ends
of pods' names are replaced. [lifecycle.md](lifecycle.md) says what the words mean. `mc` is short for `minicluster`.
)";

class TranscriptStory : public ClusterStory {
 protected:
  // A MiniCluster of two pods; `more` are additional lines of its spec.
  static std::string yaml(const std::string& name, const std::string& image,
                          const std::string& more = "", const std::string& command = "hostname") {
    return "apiVersion: flux-framework.org/v1alpha2\nkind: MiniCluster\nmetadata:\n  name: " +
           name + "\nspec:\n  size: 2\n" + more + "  containers:\n    - image: " + image +
           "\n      command: " + command + "\n";
  }

  // Waits until the status has this value at this place.
  void until(const std::string& name, const std::string& place, const json& value) {
    const std::string at = "/status/" + place;
    EXPECT_TRUE(eventually([&] {
      return value_at(kubectl.get({"minicluster", name}), at.c_str(), json()) == value;
    })) << place
        << " is not " << value << " in " << kubectl.get({"minicluster", name}).dump(2);
  }

  void start(const std::string& name, const std::string& more = "") {
    page.apply(yaml(name, "ubuntu:noble", more));
    until(name, "active", 2);
  }

  void run(const std::string& name, int from, int to) {
    const JobPods pods(kubectl, name);
    for (int i = from; i < to; ++i) pods.run(i);
  }

  void success();
  void failed_command();
  void bad_image();
  void unschedulable_size();
  void resize();
  void suspend();

  Transcript page{kubectl};
};

void TranscriptStory::success() {
  page.section("A success");
  start("success");
  page.get("mc success");
  run("success", 0, 2);
  page.say("The pods start.");
  page.run("wait --for=condition=Ready mc/success --timeout=60s");
  page.get("mc success");
  const JobPods pods(kubectl, "success");
  pods.end(1, 0);
  pods.end(0, 0);
  page.say("The command ends with code 0.");
  page.run("wait --for=condition=Complete mc/success --timeout=60s");
  page.get("mc success");
  page.describe("success", 3);
}

void TranscriptStory::failed_command() {
  page.section("A failed command");
  page.apply(yaml("failure", "ubuntu:noble", "", "simulate input.dat"));
  until("failure", "active", 2);
  run("failure", 0, 2);
  until("failure", "phase", "Running");
  JobPods(kubectl, "failure").end(0, 7, "simulate: no such file: input.dat\n");
  page.say("The command ends with code 7. It is not run again.");
  page.run("wait --for=condition=Failed mc/failure --timeout=60s");
  page.get("mc failure");
  page.describe("failure", 3);
}

void TranscriptStory::bad_image() {
  page.section("A bad image");
  page.apply(yaml("image", "ubuntu:nobel"));
  until("image", "active", 2);
  const JobPods pods(kubectl, "image");
  const std::string words = "rpc error: code = NotFound desc = ubuntu:nobel: not found";
  for (int i = 0; i < 2; ++i) pods.wait(i, "ErrImagePull", words);
  until_ready_is("image", "ImagePullFailed");
  page.get("mc image");
  page.describe("image", 2);
  page.say("An image cannot change: the MiniCluster is deleted and made again.");
  page.run("delete mc image");
  EXPECT_TRUE(eventually([&] { return kubectl.get({"job", "image"}).is_null(); },
                         std::chrono::seconds(60)));
  start("image");
  run("image", 0, 2);
  page.run("wait --for=condition=Ready mc/image --timeout=60s");
}

void TranscriptStory::unschedulable_size() {
  page.section("A size that does not fit");
  start("large");
  const JobPods pods(kubectl, "large");
  pods.run(0);
  const json nowhere = {{"type", "PodScheduled"},
                        {"status", "False"},
                        {"reason", "Unschedulable"},
                        {"message", "0/3 nodes are available: 3 Insufficient cpu."}};
  pods.set_status(1, {{"conditions", json::array({nowhere})}});
  until_ready_is("large", "Unschedulable");
  until("large", "ready", 1);
  page.get("mc large");
  page.run("wait --for=condition=Ready mc/large --timeout=1s");
  page.describe("large", 2);
  pods.run(1);
  page.say("A node is added, and it goes on by itself.");
  page.run("wait --for=condition=Ready mc/large --timeout=60s");
}

void TranscriptStory::resize() {
  page.section("A resize");
  start("elastic", "  minSize: 1\n  maxSize: 4\n");
  run("elastic", 0, 2);
  until("elastic", "ready", 2);
  page.run("scale mc/elastic --replicas=4");
  until("elastic", "active", 4);
  page.get("mc elastic");
  run("elastic", 2, 4);
  until("elastic", "ready", 4);
  page.say("The new pods start and join.");
  page.get("mc elastic");
  page.say("Fewer: the highest indexes go, the lead and its command stay.");
  page.run("scale mc/elastic --replicas=1");
  until("elastic", "ready", 1);
  until("elastic", "active", 1);
  page.get("mc elastic");
  page.say("More than `maxSize` is refused.");
  page.run("scale mc/elastic --replicas=5");
  page.describe("elastic", 2);
}

void TranscriptStory::suspend() {
  page.section("Suspend and resume");
  start("held");
  run("held", 0, 2);
  until("held", "phase", "Running");
  page.run(R"(patch mc held --type=merge -p '{"spec":{"suspend":true}}')");
  page.run("wait --for=condition=Suspended mc/held --timeout=60s");
  until("held", "active", 0);
  until("held", "ready", 0);
  page.get("mc held");
  page.run(R"(patch mc held --type=merge -p '{"spec":{"suspend":false}}')");
  page.run("wait --for=condition=Suspended=false mc/held --timeout=60s");
  until("held", "active", 2);
  page.get("mc held");
  run("held", 0, 2);
  until("held", "ready", 2);
  page.say("The pods are new ones; the command starts from the beginning.");
  page.run("wait --for=condition=Ready mc/held --timeout=60s");
  page.describe("held", 5);
}

TEST_F(TranscriptStory, IsThePage) {
  success();
  failed_command();
  bad_image();
  unschedulable_size();
  resize();
  suspend();
  page.section("All of them");
  page.get("mc");
  expect_golden("docs/transcript.md", kBegin + page.text());
}

TEST(TranscriptText, HasOneWordForWhatDiffersFromRunToRun) {
  EXPECT_EQ(without_chance("at 2026-11-21T16:07:38Z: pod m-1-b4z9q: lost"),
            "at 2026-01-01T00:00:00Z: pod m-1-x7k2p: lost");
  EXPECT_EQ(without_chance("Jobid: eeaa97e1-a595-4dd2-8b13-629f2a50600e"),
            "Jobid: 3f1c6a2e-8d47-4b0a-9c55-0e7b21d4f683");
  EXPECT_EQ(without_chance("code 7, 10-20-30, a-1-bcd"), "code 7, 10-20-30, a-1-bcd");
  EXPECT_EQ(with_one_age("NAME   AGE\na      12m\nb      3s\n"),
            "NAME   AGE\na      5s\nb      5s\n");
}

TEST(TranscriptText, OfDescribeIsTheStatusAndItsEventsInOrder) {
  EXPECT_EQ(told_by_describe("Name:  m\nStatus:\n  Phase:  Running\nEvents:\n"
                             "  Type    Reason   Age                 From  Message\n"
                             "  ----    ------   ----                ----  -------\n"
                             "  Normal  Ready    11s (x2 over 100s)  it    is ready\n"
                             "  Normal  Created  1m3s                it    was made\n"
                             "  Normal  Other    2m                  it    is so\n",
                             {"Created", "Ready"}),
            "Status:\n  Phase:  Running\nEvents:\n"
            "  Type    Reason   Age              From  Message\n"
            "  ----    ------   ----             ----  -------\n"
            "  Normal  Created  5s               it    was made\n"
            "  Normal  Ready    5s (x2 over 5s)  it    is ready\n");
}

}  // namespace
}  // namespace mc::test
