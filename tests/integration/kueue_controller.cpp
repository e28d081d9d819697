#include "tests/integration/kueue_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/base64.h"
#include "tests/support/eventually.h"
#include "tests/support/folders.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

using std::chrono::seconds;

constexpr const char* kGroup = "kueue.x-k8s.io";
constexpr const char* kMutating = "MutatingWebhookConfiguration";
constexpr const char* kValidating = "ValidatingWebhookConfiguration";
constexpr const char* kName = "kueue";

std::filesystem::path program_folder() { return std::getenv("MINICLUSTER_KUEUE"); }

// The webhooks of Kueue that handle our objects.
struct Hook {
  const char *group, *version, *kind, *plural;
};
constexpr Hook kHooks[] = {{"batch", "v1", "job", "jobs"},
                           {kGroup, "v1beta2", "clusterqueue", "clusterqueues"},
                           {kGroup, "v1beta2", "resourceflavor", "resourceflavors"},
                           {kGroup, "v1beta2", "workload", "workloads"}};

// `/mutate-batch-v1-job`, as controller-runtime names them.
std::string path_of(const Hook& hook, bool validating) {
  std::string group = hook.group;
  for (char& c : group) c = c == '.' ? '-' : c;
  return std::string(validating ? "/validate-" : "/mutate-") + group + "-" + hook.version + "-" +
         hook.kind;
}

}  // namespace

bool has_kueue() {
  const char* const folder = std::getenv("MINICLUSTER_KUEUE");
  return folder != nullptr && *folder != '\0';
}

KueueController::KueueController(const Kubectl& kubectl) : kubectl_(kubectl) {
  install_crds();
  start();
  for (const bool validating : {false, true}) {
    kubectl_.must({"apply", "-f", "-"},
                  webhooks(validating ? kValidating : kMutating, validating).dump());
  }
  // Accepted once its webhooks serve.
  const json flavor = {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                       {"kind", "ResourceFlavor"},
                       {"metadata", {{"name", "default"}}}};
  Outcome last;
  EXPECT_TRUE(eventually(
      [&] {
        if (process_->wait(seconds(0))) start();  // as a kubelet does
        last = kubectl_({"apply", "-f", "-"}, flavor.dump());
        return last.code == 0;
      },
      seconds(60)))
      << last.err << log();
}

KueueController::~KueueController() {
  for (const char* kind : {kMutating, kValidating}) kubectl_.must({"delete", kind, kName});
  if (process_) {
    process_->signal(SIGTERM);
    EXPECT_TRUE(process_->wait(seconds(30)).has_value()) << process_->err();
  }
  remove_objects();
  kubectl_.must({"delete", "-f", program_folder() / "crds"});
}

// Kueue ends at its start if discovery lacks one of its kinds, and discovery may have a CRD only a
// moment after its objects are served.
void KueueController::install_crds() const {
  std::istringstream names(
      kubectl_.must({"apply", "--server-side", "-f", program_folder() / "crds", "-o", "name"}));
  std::set<std::string> expected;
  for (std::string name; names >> name;) {  // customresourcedefinition.GROUP/PLURAL.GROUP
    const size_t plural = name.find('/') + 1;
    expected.insert(name.substr(plural, name.find('.', plural) - plural));
  }
  EXPECT_TRUE(expected.contains("workloads"));
  const std::string version = "/apis/" + std::string(kGroup) + "/v1beta2";
  Outcome last;
  EXPECT_TRUE(eventually([&] {
    last = kubectl_({"get", "--raw", version});
    if (last.code != 0) return false;
    std::set<std::string> served;
    const json list = json::parse(last.out);
    for (const json& resource : list["resources"]) served.insert(resource["name"]);
    return std::ranges::includes(served, expected);
  })) << last.out
      << last.err;
}

json KueueController::webhooks(const char* kind, bool validating) const {
  json list = json::array();
  for (const Hook& hook : kHooks) {
    json operations = {"CREATE"}, resources = {hook.plural};
    if (validating) operations.push_back("UPDATE");
    if (validating && std::string(hook.kind) == "workload") {
      resources.push_back("workloads/status");
    }
    const std::string url =
        "https://127.0.0.1:" + std::to_string(port_) + path_of(hook, validating);
    list.push_back(
        {{"name", std::string(hook.kind) + ".kueue.test"},
         {"admissionReviewVersions", {"v1"}},
         {"clientConfig", {{"url", url}, {"caBundle", base64(read_file(folder_ / "ca.crt"))}}},
         {"failurePolicy", "Fail"},
         {"sideEffects", "None"},
         {"rules", json::array({{{"apiGroups", {hook.group}},
                                 {"apiVersions", {hook.version}},
                                 {"operations", operations},
                                 {"resources", resources}}})}});
  }
  return {{"apiVersion", "admissionregistration.k8s.io/v1"},
          {"kind", kind},
          {"metadata", {{"name", kName}}},
          {"webhooks", list}};
}

void KueueController::start() {
  must_run({source_dir() / "certs/dev-certificates.sh", folder_.path()});
  const json configuration = {{"apiVersion", "config.kueue.x-k8s.io/v1beta2"},
                              {"kind", "Configuration"},
                              {"health", {{"healthProbeBindAddress", "0"}}},
                              {"metrics", {{"bindAddress", "0"}}},
                              {"webhook", {{"port", port_}, {"certDir", folder_.path()}}},
                              {"leaderElection", {{"leaderElect", false}}},
                              {"internalCertManagement", {{"enable", false}}},
                              {"clientConnection", {{"qps", 300}, {"burst", 500}}},
                              {"integrations", {{"frameworks", {"batch/job"}}}}};
  std::ofstream(folder_ / "configuration.json") << configuration.dump();
  process_.emplace(
      std::vector<std::string>{program_folder() / "kueue",
                               "--config=" + (folder_ / "configuration.json").string(),
                               "--feature-gates=VisibilityOnDemand=false"},
      ProcessOptions{.input = "", .environment = {{"KUBECONFIG", kubectl_.kubeconfig()}}});
}

// No controller is left to remove Kueue's finalizers.
void KueueController::remove_objects() const {
  for (const char* plural :
       {"workloads", "localqueues", "clusterqueues", "resourceflavors", "topologies"}) {
    const std::string kind = std::string(plural) + "." + kGroup;
    const json list = kubectl_.get({kind, "-A"});
    for (const json& object : list["items"]) {
      const json& metadata = object["metadata"];
      kubectl_.in(metadata.value("namespace", ""))({"patch", kind, metadata["name"], "--type=merge",
                                                    "-p", R"({"metadata": {"finalizers": null}})"});
    }
  }
}

}  // namespace mc::test
