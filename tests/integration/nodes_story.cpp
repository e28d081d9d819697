#include "tests/integration/nodes_story.h"

#include <algorithm>
#include <set>

#include "common/api/model/accounts.h"
#include "tests/support/metrics.h"

namespace mc::test {
namespace {

using std::chrono::seconds;

constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";

// The pods that are being deleted, without their finalizers: one list per namespace.
std::map<std::string, json> let_go(const json& pods) {
  std::map<std::string, json> lists;
  for (json pod : pods["items"]) {
    if (!pod["metadata"].contains("deletionTimestamp")) continue;
    pod["metadata"].erase("finalizers");
    json& list = lists[pod["metadata"]["namespace"]];
    list["apiVersion"] = "v1";
    list["kind"] = "List";
    list["items"].push_back(std::move(pod));
  }
  return lists;
}

// Removes objects of earlier stories. The Job controller keeps the finalizers of their pods, which
// block their namespaces, until a kubelet reports their end; they never had a kubelet.
bool clear(const Kubectl& kubectl) {
  std::set<std::string> spaces;
  const json clusters = kubectl.get({"miniclusters", "-A"});
  for (const json& cluster : clusters["items"]) spaces.insert(cluster["metadata"]["namespace"]);
  for (const std::string& space : spaces) {
    kubectl.in(space).must({"delete", "miniclusters", "--all", "--wait=false"});
  }
  return eventually(
      [&] {
        const json pods = kubectl.get({"pods", "-A"});
        for (const auto& [space, list] : let_go(pods)) {
          kubectl.in(space)({"replace", "-f", "-"}, list.dump());
        }
        return pods["items"].empty() && kubectl.get({"miniclusters", "-A"})["items"].empty();
      },
      seconds(60));
}

}  // namespace

std::unique_ptr<Nodes> OnNodes::nodes_;

void OnNodes::SetUpTestSuite() {
  Stage& stage = Stage::get();
  stage.with_webhook();
  EXPECT_TRUE(clear(stage.kubectl())) << stage.kubectl()({"get", "pods,miniclusters", "-A"}).out;
  stage.restart_controller(stage.kubectl().kubeconfig());
  nodes_ = std::make_unique<Nodes>(stage.kubectl(), 2);
}

void OnNodes::wait(const std::string& name, const std::string& condition) {
  kubectl.must({"wait", "--for=condition=" + condition, "minicluster/" + name, "--timeout=40s"});
}

// (`kubectl wait` on a hundred objects takes 0.2 s for each.)
bool OnNodes::have(const std::string& condition, int count) {
  const std::string path = "jsonpath={range .items[*]}{.status.conditions[?(@.type==\"" +
                           condition + "\")].status}{\"\\n\"}{end}";
  return eventually(
      [&] {
        const auto all = lines_of(kubectl.must({"get", "miniclusters", "-o", path}));
        return std::ranges::count(all, "True") == count;
      },
      seconds(60));
}

void OnNodes::make(const std::string& name, const json& spec) {
  create(minicluster(name, spec));
  wait(name, "Ready");
}

std::map<int, std::string> OnNodes::running(const std::string& name) {
  std::map<int, std::string> out;
  const json list = kubectl.get({"pods", "-l", "batch.kubernetes.io/job-name=" + name});
  for (const json& pod : list["items"]) {
    const json& metadata = pod["metadata"];
    if (pod["status"]["phase"] != "Running" || metadata.contains("deletionTimestamp")) continue;
    out[std::stoi(metadata["labels"][kIndex].get<std::string>())] = metadata["uid"];
  }
  return out;
}

bool OnNodes::run(const std::string& name, int count, std::chrono::seconds limit) {
  std::vector<int> indexes, wanted;
  for (int i = 0; i < count; ++i) wanted.push_back(i);
  const bool came = eventually(
      [&] {
        indexes.clear();
        for (const auto& [index, uid] : running(name)) indexes.push_back(index);
        return indexes == wanted;
      },
      limit);
  EXPECT_TRUE(came) << kubectl({"get", "pods", "-o", "wide"}).out
                    << kubectl.get({"job", name}).dump(2);
  return came;
}

std::string OnNodes::lead(const std::string& name) {
  return kubectl.must(
      {"get", "pods", "-l", "batch.kubernetes.io/job-name=" + name + "," + kIndex + "=0",
       "--field-selector=status.phase=Running", "-o", "jsonpath={.items[0].metadata.name}"});
}

void OnNodes::end_lead(const std::string& name, int code) {
  kubectl.must({"annotate", "pod", lead(name), "minicluster.test/ends=" + std::to_string(code)});
}

void OnNodes::scale(const std::string& name, int size) {
  kubectl.must({"scale", "minicluster/" + name, "--replicas=" + std::to_string(size)});
}

void OnNodes::suspend(const std::string& name, bool value) {
  kubectl.patch("minicluster", name, {{"spec", {{"suspend", value}}}});
}

std::string OnNodes::raw(const std::string& below) {
  return "/apis/flux-framework.org/v1alpha2/namespaces/" + kubectl.namespace_name() +
         "/miniclusters" + below;
}

void OnNodes::make_and_delete(const std::string& name, int reads, const std::string& propagation) {
  const std::string server =
      kubectl.must({"config", "view", "-o", "jsonpath={.clusters[0].cluster.server}"});
  const std::string all = server + raw(""), one = server + raw("/" + name);
  std::vector<std::string> command = {"curl"};
  add_request(command, "POST", all, minicluster(name).dump());
  for (int i = 0; i < reads; ++i) add_request(command, "GET", one, "");
  add_request(command, "DELETE", one, json({{"propagationPolicy", propagation}}).dump());
  must_run(command);
}

std::vector<std::string> OnNodes::left() {
  std::vector<std::string> out = lines_of(
      kubectl.must({"get", "miniclusters,jobs,pods,services,configmaps,secrets", "-o", "name"}));
  std::erase(out, "configmap/kube-root-ca.crt");
  std::erase(out, std::string("configmap/") + api::kAccountsConfigMap);  // outlives them
  return out;
}

double OnNodes::counted(const std::string& family, const std::string& label) {
  return sum_of(Stage::get().controller_metrics(), family, label);
}

void OnNodes::add_request(std::vector<std::string>& command, const std::string& method,
                          const std::string& url, const std::string& body) {
  if (command.size() > 1) command.emplace_back("--next");
  const std::filesystem::path plane = kubectl.control_plane();
  command.insert(
      command.end(),
      {"--silent", "--show-error", "--fail", "--noproxy", "*", "--cacert", plane / "ca.crt",
       "--header", "@" + (plane / "authorization").string(), "--header",
       "Content-Type: application/json", "--output", "/dev/null", "--request", method, url});
  if (!body.empty()) command.insert(command.end(), {"--data-binary", body});
}

}  // namespace mc::test
