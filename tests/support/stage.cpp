#include "tests/support/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "common/base/base64.h"
#include "tests/support/eventually.h"
#include "tests/support/folders.h"

namespace mc::test {
namespace {

using std::chrono::seconds;

// Only the webhook computes maxSize, so its presence shows whether the API server calls it.
constexpr const char* kProbe = R"({
  "apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
  "metadata": {"name": "probe"},
  "spec": {"containers": [{"image": "ubuntu:noble", "command": "hostname"}]}})";

constexpr const char* kOwned = R"({
  "apiVersion": "v1", "kind": "ConfigMap",
  "metadata": {"name": "owned", "ownerReferences": [{
    "apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster", "name": "owner",
    "uid": "00000000-0000-0000-0000-000000000000",
    "controller": true, "blockOwnerDeletion": true}]}})";

// Programs of another build, for example with sanitizers (tests/run.sh).
std::string programs() {
  const char* const folder = std::getenv("MINICLUSTER_TEST_PROGRAMS");
  return folder == nullptr ? (build_dir() / "bin").string() : folder;
}

}  // namespace

std::string webhook_program() { return programs() + "/minicluster-webhook"; }
std::string controller_program() { return programs() + "/minicluster-controller"; }
std::string plugin_program() { return programs() + "/kubectl-minicluster"; }

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << "cannot read " << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Stage& Stage::get() {
  static Stage stage;
  return stage;
}

Stage::Stage() : kubectl_(Kubectl::from_environment()) {
  kubectl_.must({"apply", "--server-side", "-f", source_dir() / "crds"});
  // The CRD is established and in discovery a moment later. (`kubectl wait` fails on a CRD whose
  // conditions are still null.)
  EXPECT_TRUE(eventually([&] { return kubectl_({"get", "miniclusters"}).code == 0; }));
}

std::filesystem::path Stage::certificates() {
  const std::filesystem::path folder = kubectl_.control_plane() / "webhook-certificates";
  if (!std::filesystem::exists(folder / "tls.crt")) {
    must_run({source_dir() / "certs/dev-certificates.sh", folder});
  }
  return folder;
}

bool Stage::webhook_is_asked() const {
  const Outcome outcome = kubectl_({"create", "--dry-run=server", "-o", "json", "-f", "-"}, kProbe);
  if (outcome.code != 0) return false;
  const json object = json::parse(outcome.out, nullptr, false);
  return object.contains("/spec/maxSize"_json_pointer);
}

void Stage::with_webhook() {
  if (!configurations_.empty()) return;
  const std::filesystem::path folder = certificates();
  const int port = free_port();
  webhook_.emplace(std::vector<std::string>{webhook_program(), "--host", "127.0.0.1", "--port",
                                            std::to_string(port), "--cert-dir", folder});
  if (!webhook_->wait_until_ready()) return;
  std::string text = read_file(source_dir() / "tests/support/webhook-configurations.yaml");
  text = replaced(text, "@URL@", "https://127.0.0.1:" + std::to_string(port));
  text = replaced(text, "@CA_BUNDLE@", base64(read_file(folder / "ca.crt")));
  kubectl_.must({"apply", "-f", "-"}, text);
  configurations_ = text;
  EXPECT_TRUE(eventually([&] { return webhook_is_asked(); }))
      << "the API server does not ask the webhook\n"
      << webhook_->end_of_log();
}

void Stage::without_webhook() {
  if (configurations_.empty()) return;
  kubectl_.must({"delete", "-f", "-"}, configurations_);
  configurations_.clear();
  // Without the webhook, the object is accepted without its defaults.
  EXPECT_TRUE(eventually([&] {
    const Outcome outcome = kubectl_({"create", "--dry-run=server", "-f", "-"}, kProbe);
    return outcome.code == 0 && !webhook_is_asked();
  }));
  if (webhook_) webhook_->stop();
  webhook_.reset();
}

void Stage::start_controller(const std::filesystem::path& kubeconfig,
                             const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {controller_program(), "--kubeconfig", kubeconfig};
  command.insert(command.end(), arguments.begin(), arguments.end());
  controller_.emplace(command);
  controller_->wait_until_ready();
}

void Stage::with_controller() {
  if (!controller_) start_controller(kubectl_.kubeconfig(), {"-v", "1"});
}

void Stage::without_controller() {
  if (controller_) controller_->stop();
  controller_.reset();
}

void Stage::restart_controller(const std::filesystem::path& kubeconfig,
                               const std::vector<std::string>& arguments) {
  without_controller();
  start_controller(kubeconfig, arguments);
}

std::string Stage::controller_metrics() const {
  return controller_ ? controller_->get("/metrics").value_or("") : "";
}

void Stage::wait_until_owning(const std::string& user, const Kubectl& there) const {
  Outcome last;
  EXPECT_TRUE(eventually(
      [&] {
        last = there({"create", "--dry-run=server", "--as=" + user, "-f", "-"}, kOwned);
        return last.code == 0;
      },
      seconds(60)))
      << last.err;
}

void Stage::without_services() {
  without_webhook();
  without_controller();
}

}  // namespace mc::test
