#include <array>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "common/base/clock.h"
#include "common/kube/config.h"
#include "services/api_resources.h"
#include "tests/integration/monitoring_story.h"
#include "tests/support/dashboard.h"
#include "tests/support/folders.h"
#include "tests/support/must.h"

// The pictures of the dashboards, from what a real Prometheus scraped. With MINICLUSTER_DASHBOARDS,
// the folder for them, they show more time: `make dashboards` draws those of docs/monitoring.md.
namespace mc::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// The command's exit code, at its end (tests/control_plane/kwok/stages.yaml).
constexpr const char* kEndCode = "minicluster.test/ends";
constexpr std::array kTeams = {"climate", "genomics", "materials"};

const char* folder_asked() { return std::getenv("MINICLUSTER_DASHBOARDS"); }

// What three teams do: each submits a few MiniClusters now and then, of different sizes and
// lengths, and deletes them a while after they ended. One in eight fails.
class Teams {
 public:
  explicit Teams(const Kubectl& kubectl)
      : kubectl_(kubectl),
        transport_(must(kube::Transport::create(must(kube::load_config(kubectl.kubeconfig()))))) {
    for (const char* team : kTeams) kubectl_.must({"create", "namespace", team});
  }
  ~Teams() {
    for (const char* team : kTeams) kubectl_({"delete", "namespace", team, "--wait=false"});
  }
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  void work_for(Clock::duration time) {
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
      if (one_in(submitted_ % 12 < 8 ? 2 : 25)) submit();  // eight in a row, then some
      for (const char* team : kTeams) attend_to(team);
      wait(std::chrono::milliseconds(500), {});  // the load's interval
    }
  }

 private:
  struct Run {
    Clock::time_point ends, deleted;
  };

  bool one_in(int number) { return std::uniform_int_distribution(1, number)(random_) == 1; }
  int between(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }

  void submit() {
    const std::string name = "run-" + std::to_string(submitted_++);
    json object = minicluster(name, {{"size", between(2, 8)}});
    object["metadata"]["namespace"] = kTeams[static_cast<std::size_t>(between(0, 2))];
    must(client_.create(kMiniClusters, object));
  }

  void attend_to(const std::string& team) {
    const json clusters = must(client_.list(kMiniClusters, team));
    for (const json& cluster : clusters.at("items")) {
      const std::string name = cluster.at("metadata").at("name");
      const std::string phase = value_at(cluster, "/status/phase", std::string());
      if (phase == "Running") end_if_over(team, name);
      if (phase != "Succeeded" && phase != "Failed") continue;
      if (Clock::now() < runs_[name].deleted) continue;
      const auto removed = client_.remove(kMiniClusters, team, name);
    }
  }

  void end_if_over(const std::string& team, const std::string& name) {
    const auto now = Clock::now();
    const auto [run, is_new] = runs_.try_emplace(name);
    if (is_new) {
      run->second.ends = now + seconds(between(5, 30));
      run->second.deleted = run->second.ends + seconds(60);
    }
    if (now < run->second.ends) return;
    const json end = {{"metadata", {{"annotations", {{kEndCode, one_in(8) ? "1" : "0"}}}}}};
    const json leads = must(client_.list(
        kube::kPods, team, {.label_selector = "batch.kubernetes.io/job-completion-index=0"}));
    for (const json& pod : leads.at("items")) {
      const std::string lead = pod.at("metadata").at("name");
      if (!lead.starts_with(name + "-0-")) continue;
      const auto ended = client_.patch(kube::kPods, team, lead, kube::PatchType::Merge, end);
    }
  }

  const Kubectl& kubectl_;
  const std::unique_ptr<kube::Transport> transport_;
  const kube::Client client_{*transport_};
  std::mt19937 random_{1};  // NOLINT(cert-msc51-cpp,cert-msc32-c): the same load each time
  std::map<std::string, Run> runs_;
  int submitted_ = 0;
};

// For the pictures, the defaults of the controller.
Pace pace() {
  return folder_asked() == nullptr ? Pace()
                                   : Pace{.scrape = 5, .lease = 15, .renew = 10, .retry = 2};
}

class Dashboards : public MonitoringStory {
 protected:
  static void SetUpTestSuite() { there_ = std::make_unique<Monitored>(pace()); }

  // Less than the teams want at times, so that some wait.
  static void limit_the_teams() {
    must_apply({{"apiVersion", "flux-framework.org/v1alpha2"},
                {"kind", "FluxSetup"},
                {"metadata", {{"name", "monitored"}}},
                {"spec", {{"hard", {{"miniclusters", 10}, {"pods", 45}}}}}});
  }
  static void must_apply(const json& object) {
    there().kubectl().must({"apply", "-f", "-"}, object.dump());
  }

  // Draws the time since `begin` in each dashboard; false if a query has no data.
  static bool draw(std::time_t begin, const fs::path& folder) {
    bool complete = true;
    for (const fs::path& file : dashboard_files()) {
      const Outcome outcome =
          run({source_dir() / "tests/dashboards/draw.py", file, there().prometheus().address(),
               std::to_string(begin), std::to_string(std::time(nullptr)),
               std::to_string(pace().scrape), folder});
      std::cout << outcome.out << outcome.err;
      complete = complete && outcome.code == 0;
    }
    return complete;
  }
};

// Takes 40 s; 4 minutes if the pictures are asked for.
TEST_F(Dashboards, EachRowIsDrawnWithDataInEachPanel) {
  const bool asked = folder_asked() != nullptr;
  const TemporaryFolder temporary;
  const fs::path folder = asked ? fs::path(folder_asked()) : temporary.path();
  const std::time_t begin = std::time(nullptr);
  limit_the_teams();
  Teams teams(there().kubectl());
  teams.work_for(seconds(asked ? 120 : 8));
  there().kill_leader();
  teams.work_for(seconds(asked ? 90 : 8));

  EXPECT_TRUE(eventually([&] { return draw(begin, folder); }));
  int pictures = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("dashboard-")) continue;
    ++pictures;
    EXPECT_LT(entry.file_size(), 60U * 1024) << entry.path();
  }
  EXPECT_EQ(pictures, 13);
}

}  // namespace
}  // namespace mc::test
