#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/api/manifest.h"
#include "common/api/model/accounts.h"
#include "common/base/json.h"
#include "e2e/stories/installation.h"
#include "e2e/stories/mpi.h"
#include "tests/support/folders.h"

// Limits on a real node, as the chart installs the operator: the controller's and the webhook's.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// What a program has written to its files *steps: `from N` when it starts, `to N` when it saves its
// state and ends.
struct Starts {
  std::size_t begun = 0;
  std::vector<std::int64_t> ends;
  std::int64_t done = 0;  // steps
};

Starts starts_in(const NodeFolder& folder) {
  Starts out;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    if (!file.path().filename().string().ends_with("steps")) continue;
    std::istringstream words(test::text_of(file.path()));
    std::string word;
    for (std::int64_t step = 0; words >> word >> step;) {
      if (word == "from") ++out.begun;
      if (word == "to") out.ends.push_back(step);
      out.done += word == "to" ? step : -step;
    }
  }
  return out;
}

// At random times, three times or MINICLUSTER_E2E_SIZES times, up to 50.
int preemptions() {
  const char* const wanted = std::getenv("MINICLUSTER_E2E_SIZES");
  return wanted == nullptr ? 3 : std::min(std::stoi(wanted), 50);
}

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

  // Preempts a MiniCluster, each time anywhere in a start of its `tasks` tasks that write steps,
  // until it has ended.
  void preempt_to_its_end(const std::string& name, std::size_t tasks, const NodeFolder& data) {
    std::mt19937 random(1);
    for (int i = 0; i < preemptions(); ++i) {
      const std::size_t begun = tasks * static_cast<std::size_t>(i + 1);
      ASSERT_TRUE(test::eventually([&] { return starts_in(data).begun == begun; }, 120s))
          << everything();
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 2000));
      preempt("urgent-" + std::to_string(i));
    }
    ASSERT_TRUE(reaches(name, "Complete", 1200s));
    EXPECT_EQ(kubectl.get({"minicluster", name}).at("status").at("preemptions"), preemptions());
  }
  // Each start has saved its steps, and none was done twice.
  void expect_none_repeated(const std::string& name, std::size_t tasks, const NodeFolder& data,
                            std::int64_t steps) {
    const Starts starts = starts_in(data);
    const auto all = static_cast<std::int64_t>(tasks) * steps;
    std::cout << preemptions() << " preemptions: " << starts.done - all << " of " << all
              << " steps repeated" << std::endl;
    EXPECT_EQ(starts.begun, starts.ends.size());
    EXPECT_EQ(starts.done, all);
    const api::Use use = use_of(name);
    EXPECT_EQ(use.preemptions, preemptions());
    EXPECT_EQ(use.lost_pod_seconds, 0);
  }

 private:
  // What the accounts say of the only run of a MiniCluster that has ended.
  api::Use use_of(const std::string& name) const {
    std::optional<api::Use> out;
    EXPECT_TRUE(test::eventually([&] {
      const auto all = api::read_accounts(kubectl.get({"configmap", api::kAccountsConfigMap}));
      for (const auto& [job, run] : all.runs) {
        if (run.name == name) out = run.use;
      }
      return out.has_value();
    }));
    return out.value_or(api::Use());
  }
};

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
sub note { open my $out, ">>", "$at.steps" or die; print $out "@_\n"; close $out }
note "from", $steps;
while ($steps < $most && !$is_told) {
  $number = $number * 6364136223846793005 + 1442695040888963407;
  select undef, undef, undef, 0.002 unless ++$steps % 4;
}
open my $new, ">", "$at.new" or die;
print $new "$steps $number\n";
close $new;
rename "$at.new", "$at.saved" or die;
note "to", $steps;
print "counted to $number\n" if $steps == $most;
)";

std::int64_t counted_to(std::int64_t steps) {
  std::uint64_t number = 1;
  while (steps-- > 0) number = number * 6364136223846793005U + 1442695040888963407U;
  return static_cast<std::int64_t>(number);
}

TEST_F(Quota, AProgramThatSavesItsStateCountsAsFarAsOneThatWasNeverSuspended) {
  limit(2);
  const NodeFolder data;
  std::ofstream(data.path() / "count.pl") << kCounts;
  const std::int64_t steps = 2000L * (10 + 3 * preemptions());
  json counter = minicluster(
      "counter", 2, "perl /data/count.pl " + std::to_string(steps),
      {{"tasks", 2}, {"preemptible", {{"maxPreemptions", 50}, {"checkpoint", {{"seconds", 30}}}}}},
      Flux::kInImage);
  container(counter)["volumes"]["data"] = data.volume("/data");
  apply(counter);
  preempt_to_its_end("counter", 2, data);
  EXPECT_THAT(log("counter", 0), HasSubstr("counted to " + std::to_string(counted_to(steps))));
  expect_none_repeated("counter", 2, data, steps);
}

// examples/preemptible.yaml; its first task writes.
TEST_F(Quota, SlowLammpsOfTheExampleDoesAllStepsWithTheEnergiesOfRestartsAtTheSameSteps) {
  limit(2);
  const NodeFolder data, other;
  const std::int64_t steps = 2500L * preemptions();
  kubectl.must({"create", "configmap", "preemptible",
                "--from-file=" + (test::source_dir() / "examples/preemptible").string()});
  json lammps = api::read_manifest(test::text_of("examples/preemptible.yaml")).value().at(0).object;
  lammps["spec"]["preemptible"]["maxPreemptions"] = 50;
  lammps["spec"]["flux"] = {{"container", {{"image", kFluxViewImage}}}, {"optionFlags", kYield}};
  json restarted = mpi_pod("restarted", kOpenMpi4, {});
  json& runs = restarted["spec"]["containers"][0];
  container(lammps)["image"] = runs["image"];
  container(lammps)["command"] = "sh /input/lmp.sh " + std::to_string(steps);
  container(lammps)["volumes"]["data"] = data.volume("/data");
  apply(lammps);
  preempt_to_its_end("preemptible", 1, data);
  expect_none_repeated("preemptible", 1, data, steps);

  std::string ends;
  for (const std::int64_t end : starts_in(data).ends) ends += " " + std::to_string(end);
  restarted["spec"]["volumes"] = {{{"name", "data"}, {"hostPath", {{"path", other.path()}}}},
                                  {{"name", "input"}, {"configMap", {{"name", "preemptible"}}}}};
  runs["volumeMounts"] = {{{"name", "data"}, {"mountPath", "/data"}},
                          {{"name", "input"}, {"mountPath", "/input"}}};
  runs["workingDir"] = "/data";
  runs["command"] = {"sh", "-ec",
                     ": >told.lj; for end in" + ends +
                         "; do mpirun --allow-run-as-root --oversubscribe --mca "
                         "mpi_yield_when_idle 1 -n 2 lmp -log none -in /input/in.lj -var steps "
                         "$end; mv restart.new restart; done"};
  apply(restarted);
  ASSERT_TRUE(succeeds("restarted", 1200s));
  const std::string energies = test::text_of(data.path() / "energies");
  EXPECT_THAT(energies, HasSubstr("\n" + std::to_string(steps) + " -4.6"));
  EXPECT_EQ(energies, test::text_of(other.path() / "energies"));
}

}  // namespace
}  // namespace mc::e2e
