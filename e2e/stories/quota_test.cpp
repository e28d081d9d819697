#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/base/json.h"
#include "e2e/stories/installation.h"
#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"

// Limits on a real node, as the chart installs the operator: the controller's and the webhook's.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Quota : public PodStory {
 protected:
  static void TearDownTestSuite() {
    const test::Kubectl& kubectl = Installation::get().kubectl();
    kubectl.must({"delete", "fluxsetup", kSetup});
    // A minute later; until then other stories would wait.
    EXPECT_TRUE(test::eventually(
        [&] {
          return kubectl
              .must({"get", "configmaps", "-A",
                     "--field-selector=metadata.name=minicluster-workspace", "-o",
                     "jsonpath={.items[*].metadata.annotations.flux-framework\\.org/"
                     "fluxsetup}"})
              .empty();
        },
        90s));
  }

  void SetUp() override {
    PodStory::SetUp();
    kubectl.must({"create", "priorityclass", kUrgent, "--value=1000"});
  }
  void TearDown() override {
    kubectl.must({"delete", "priorityclass", kUrgent});
    PodStory::TearDown();
  }

  // Limits the namespace of this story.
  void limit(int pods) const {
    apply({{"apiVersion", "flux-framework.org/v1alpha2"},
           {"kind", "FluxSetup"},
           {"metadata", {{"name", kSetup}}},
           {"spec",
            {{"namespaces",
              {{{"selector",
                 {{"matchLabels", {{"kubernetes.io/metadata.name", kubectl.namespace_name()}}}}},
                {"priorityClassNames", {kUrgent}},
                {"hard", {{"pods", std::to_string(pods)}}}}}},
             {"hard", {{"pods", "100"}}}}}});
    kubectl.must({"wait", "fluxsetup", kSetup, "--for=condition=InForce", "--timeout=60s"});
  }

  static constexpr const char* kSetup = "quota-story";
  static constexpr const char* kUrgent = "quota-story-urgent";

  std::string phase(const std::string& name) const {
    return text_at(kubectl.get({"minicluster", name}), {"status", "phase"});
  }

  // Starts one with a higher priority, and returns once it has ended.
  void preempt(const std::string& name) const {
    apply(minicluster(name, 1, sh("true"), {{"priorityClassName", kUrgent}}, Flux::kInImage));
    ASSERT_TRUE(reaches(name, "Complete", 180s));
    kubectl.must({"delete", "minicluster", name});
  }
};

// The lines of a file of both tasks.
std::vector<std::string> lines(const NodeFolder& folder, const std::string& of) {
  std::vector<std::string> out;
  for (const char* task : {"0", "1"}) {
    const std::vector<std::string> its = test::lines_of(test::text_of(folder.path() / (task + of)));
    out.insert(out.end(), its.begin(), its.end());
  }
  return out;
}

TEST_F(Quota, OneWaitsUntilAnotherIsGoneAndOneThatNeverFitsIsRefusedAtApply) {
  limit(1);
  apply(minicluster("first", 1, sh("sleep 600")));
  ASSERT_TRUE(reaches("first", "Ready"));
  apply(minicluster("second", 1, sh("true")));
  ASSERT_TRUE(test::eventually([&] { return phase("second") == "Waiting"; }));
  EXPECT_THAT(reason("second", "QuotaReserved"), HasSubstr("Waiting: "));
  kubectl.must({"delete", "minicluster", "first"});
  ASSERT_TRUE(reaches("second", "Complete"));
  // The kubelet shows the webhook the limits within a minute and a half.
  Outcome refused;
  EXPECT_TRUE(test::eventually(
      [&] {
        refused = kubectl({"apply", "--dry-run=server", "-f", "-"},
                          minicluster("third", 101, sh("true")).dump());
        return refused.code != 0;
      },
      120s));
  EXPECT_THAT(refused.err, HasSubstr("spec.size: Invalid value: 101: needs 101 pods, but the "
                                     "cluster-wide limit is 100"));
}

// Counts by a generator of 64-bit numbers. On SIGUSR1 it saves how far it is, and ends with 0.
constexpr const char* kCounts = R"(
use strict; use integer;
my ($most) = @ARGV;
my $at = "/data/$ENV{FLUX_TASK_RANK}";
my ($steps, $number, $is_told) = (0, 1, 0);
$SIG{USR1} = sub { $is_told = 1 };
if (open my $saved, "<", "$at.saved") { ($steps, $number) = split " ", <$saved>; }
sub add { my ($file, $text) = @_; open my $out, ">>", $file or die; print $out "$text\n"; close $out }
my $first = $steps;
add "$at.starts", $first;
while ($steps < $most && !$is_told) {
  $number = $number * 6364136223846793005 + 1442695040888963407;
  select undef, undef, undef, 0.002 unless ++$steps % 4;
}
open my $new, ">", "$at.new" or die;
print $new "$steps $number\n";
close $new;
rename "$at.new", "$at.saved" or die;
add "$at.ends", $steps - $first;
print "counted to $number\n" if $steps == $most;
)";

std::int64_t counted_to(int steps) {
  std::uint64_t number = 1;
  for (int i = 0; i < steps; ++i) number = number * 6364136223846793005U + 1442695040888963407U;
  return static_cast<std::int64_t>(number);
}

// At random times, three times or MINICLUSTER_E2E_SIZES times, up to 50.
int preemptions() {
  const char* const wanted = std::getenv("MINICLUSTER_E2E_SIZES");
  return wanted == nullptr ? 3 : std::min(std::stoi(wanted), 50);
}

TEST_F(Quota, AProgramThatSavesItsStateCountsAsFarAsOneThatWasNeverSuspended) {
  limit(2);
  const NodeFolder data;
  std::ofstream(data.path() / "count.pl") << kCounts;
  const int times = preemptions(), steps = 2000 * (10 + 3 * times);
  json counter =
      minicluster("counter", 2, "perl /data/count.pl " + std::to_string(steps),
                  {{"tasks", 2},
                   {"preemptible", {{"maxPreemptions", 1000}, {"checkpoint", {{"seconds", 30}}}}}},
                  Flux::kInImage);
  container(counter)["volumes"]["data"] = data.volume("/data");
  apply(counter);
  std::mt19937 random(1);
  for (int i = 0; i < times; ++i) {
    const auto starts = static_cast<std::size_t>(2 * (i + 1));
    ASSERT_TRUE(test::eventually([&] { return lines(data, ".starts").size() == starts; }, 120s))
        << everything();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 2000));  // anywhere
    preempt("urgent-" + std::to_string(i));
  }
  ASSERT_TRUE(reaches("counter", "Complete", 240s));
  EXPECT_THAT(log("counter", 0), HasSubstr("counted to " + std::to_string(counted_to(steps))));
  EXPECT_EQ(kubectl.get({"minicluster", "counter"}).at("status").at("preemptions"), times);
  std::int64_t done = 0;
  for (const std::string& line : lines(data, ".ends")) done += std::stoll(line);
  std::cout << times << " preemptions: " << done - 2 * steps << " of " << 2 * steps
            << " steps repeated" << std::endl;
  EXPECT_EQ(lines(data, ".starts").size(), lines(data, ".ends").size())
      << "each start has saved its steps";
  EXPECT_EQ(done, 2 * steps) << "none is done twice";
}

}  // namespace
}  // namespace mc::e2e
