#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

#include "common/base/base64.h"
#include "common/flux/curve.h"
#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"

// One Flux instance over two clusters of two sites (site.sh), whose link is cut.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr int kSize = 4;  // of each MiniCluster
constexpr int kPort = 30850;

// The cluster of the other site, with a namespace of its own.
class OtherSite {
 public:
  explicit OtherSite(const std::filesystem::path& cluster) : cluster_(cluster) {
    const auto images = test::source_dir() / "build/e2e/images";
    call("up", {images / "pause.tar", images / "flux.tar"});
    own_.emplace(test::Kubectl::on(cluster / "site1/control-plane"));
  }
  ~OtherSite() {
    own_.reset();
    call("down");
  }
  OtherSite(const OtherSite&) = delete;
  OtherSite& operator=(const OtherSite&) = delete;

  // It cannot be reached between these two.
  void cut() const { call("cut"); }
  void join() const { call("join"); }

  const test::Kubectl& kubectl() const { return own_->kubectl(); }

 private:
  void call(const std::string& verb, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {test::source_dir() / "e2e/cluster/site.sh", verb, cluster_};
    command.insert(command.end(), more.begin(), more.end());
    test::must_run(command, {}, std::chrono::minutes(4));
  }

  const std::filesystem::path cluster_;
  std::optional<test::Namespace> own_;
};

class RealFluxBurst : public PodStory {
 protected:
  RealFluxBurst() : other_(kubectl.control_plane().parent_path()) {}

  // Both MiniClusters with the same certificate, and the lead broker at a port of the first
  // cluster's node, as docs/bursting.md says. The command ends once it may.
  void start() {
    const std::string certificate =
        flux::curve_certificate(flux::generate_curve_keys(), "two sites");
    const json secret = {{"apiVersion", "v1"},
                         {"kind", "Secret"},
                         {"metadata", {{"name", "two-sites"}}},
                         {"stringData", {{"curve.cert", certificate}}}};
    const json bursting = {{"clusters", {{{"name", "burst"}, {"size", kSize}}}}};
    const json flux = {{"curveCertSecret", "two-sites"}, {"bursting", bursting}};
    json lead = minicluster("lead", kSize, "", {{"flux", flux}}, Flux::kInImage);
    container(lead)["launcher"] = true;
    container(lead)["command"] = sh("until [ -e /marks/may-end ]; do sleep 0.1; done");
    container(lead)["volumes"]["marks"] = marks_.volume("/marks");
    const json port = {{"port", 8050}, {"nodePort", kPort}};
    const json selector = {{"job-name", "lead"}, {"batch.kubernetes.io/job-completion-index", "0"}};
    const json service = {
        {"apiVersion", "v1"},
        {"kind", "Service"},
        {"metadata", {{"name", "lead-broker"}}},
        {"spec", {{"type", "NodePort"}, {"selector", selector}, {"ports", {port}}}}};
    for (const json& object : {secret, service, lead}) apply(object);

    json burst = minicluster("burst", kSize, "hostname", {{"flux", flux}}, Flux::kInImage);
    burst["spec"]["flux"]["bursting"]["leadBroker"] = {
        {"name", "lead"}, {"size", kSize}, {"address", "10.200.0.1"}, {"port", kPort}};
    for (const json& object : {secret, burst}) {
      other_.kubectl().must({"apply", "-f", "-"}, object.dump());
    }
  }

  void expect_all_hosts() const {
    const std::string hosts = flux_answers("lead", "timeout 20 flux run -N8 hostname", "burst-3");
    for (int i = 0; i < kSize; ++i) {
      EXPECT_THAT(hosts, HasSubstr("lead-" + std::to_string(i) + "\n"));
      EXPECT_THAT(hosts, HasSubstr("burst-" + std::to_string(i) + "\n"));
    }
  }

  // A job on all hosts that runs. Returns its id.
  std::string submit(const std::string& command) const {
    return answer("lead", "flux submit -N8 --wait-event=start " + command);
  }

  void cut_for(std::chrono::milliseconds length) const {
    other_.cut();
    std::this_thread::sleep_for(length);  // of the cut
    other_.join();
    std::cout << "cut for " << length.count() << " ms" << std::endl;
  }

  void may_end() const { std::ofstream(marks_.path() / "may-end") << "\n"; }

  const NodeFolder marks_;
  const OtherSite other_;
};

// What docs/bursting.md says of them. A cut that is shorter than Flux's tbon.tcp_user_timeout (20
// s) disturbs nothing.
TEST_F(RealFluxBurst, SlowOneInstanceSpansTwoSitesAndOutlivesCutsOfTheirLink) {
  start();
  const test::Stopwatch started;
  expect_all_hosts();
  std::cout << "eight hosts after " << started.seconds() << " s" << std::endl;

  const std::string undisturbed = submit("sleep 15");
  cut_for(5s);
  EXPECT_EQ(ask_flux("lead", "flux job status -vv " + undisturbed).code, 0) << everything();

  const std::string lost = submit("sleep 300");
  cut_for(40s);
  EXPECT_THAT(ask_flux("lead", "flux job eventlog " + lost).out,
              HasSubstr(R"(type="exec" severity=0 userid=0 note="node failure on burst-)"));
  expect_all_hosts();

  std::minstd_rand random(20261129);
  for (int round = 0; round < 6; ++round) {
    cut_for(std::chrono::milliseconds(500 + random() % 45'000));
    const test::Stopwatch joined;
    expect_all_hosts();
    std::cout << "eight hosts again after " << joined.seconds() << " s" << std::endl;
  }
  const json pods = other_.kubectl().items({"pods", "-l", "job-name=burst"});
  EXPECT_EQ(pods.size(), kSize);
  for (const json& pod : pods) {
    EXPECT_EQ(pod.at("/status/containerStatuses/0/restartCount"_json_pointer), 0);
  }
  kubectl.must({"delete", "pod", pod_name("lead", 0), "--wait=false"});
  EXPECT_EQ(other_.kubectl()({"wait", "minicluster/burst", "--for=condition=Complete"}).code, 0);
  may_end();
  ASSERT_TRUE(reaches("lead", "Complete"));
}

}  // namespace
}  // namespace mc::e2e
