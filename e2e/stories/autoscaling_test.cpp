#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "common/base/yaml.h"
#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"
#include "tests/support/programs.h"
#include "tests/support/prometheus.h"

// The size of a MiniCluster follows the metric of its lead, by Prometheus, prometheus-adapter and a
// HorizontalPodAutoscaler, with the configuration that docs/autoscaling.md shows.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;

constexpr int kIdleSeconds = 20;

// The block of YAML of docs/autoscaling.md that begins with `start`.
json of_docs(const std::string& start) {
  const std::string page = test::text_of("docs/autoscaling.md");
  const std::size_t begin = page.find("```yaml\n" + start) + 8;
  const auto documents = parse_yaml(page.substr(begin, page.find("```", begin) - begin));
  if (!documents || documents->size() != 1) {
    ADD_FAILURE() << "docs/autoscaling.md has no block " << start;
    return json::object();
  }
  return documents->front();
}

// The same for one pod, with the labels that Prometheus would have found: that of Debian is built
// without the discovery of pods.
json scrapes(const json& pod) {
  json out = of_docs("scrape_configs:").at("scrape_configs");
  out.at(0).erase("kubernetes_sd_configs");
  const json& labels = pod.at("metadata").at("labels");
  const json found = {{"__meta_kubernetes_namespace", pod.at("metadata").at("namespace")},
                      {"__meta_kubernetes_pod_container_port_name",
                       pod.at("/spec/containers/0/ports/0/name"_json_pointer)},
                      {"__meta_kubernetes_pod_label_job_name", labels.at("job-name")},
                      {"__meta_kubernetes_pod_label_batch_kubernetes_io_job_completion_index",
                       labels.at("batch.kubernetes.io/job-completion-index")}};
  const std::string address = text_at(pod, {"status", "podIP"}) + ":9100";
  out.at(0)["static_configs"] =
      json::array({{{"targets", json::array({address})}, {"labels", found}}});
  return out;
}

std::vector<std::string> adapter_command(const test::Kubectl& kubectl,
                                         const std::string& prometheus,
                                         const std::filesystem::path& folder, int port) {
  std::ofstream(folder / "rules.yaml") << of_docs("externalRules:").dump();
  const std::string kubeconfig = kubectl.kubeconfig();
  return {test::built_program("prometheus-adapter"),
          "--config=" + (folder / "rules.yaml").string(),
          "--prometheus-url=" + prometheus,
          "--metrics-relist-interval=2s",
          "--metrics-max-age=10s",
          "--secure-port=" + std::to_string(port),
          "--cert-dir=" + (folder / "certificates").string(),
          "--lister-kubeconfig=" + kubeconfig,
          "--authentication-kubeconfig=" + kubeconfig,
          "--authorization-kubeconfig=" + kubeconfig};
}

// Real Prometheus and real prometheus-adapter, which the API server asks for external metrics.
class Metrics {
 public:
  Metrics(const test::Kubectl& kubectl, const json& lead)
      : kubectl_(kubectl),
        port_(test::free_port()),
        prometheus_(folder_ / "prometheus", scrapes(lead), {}),
        adapter_(adapter_command(kubectl, prometheus_.address(), folder_.path(), port_)) {
    kubectl_.must({"apply", "-f", "-"}, objects().dump());
  }
  ~Metrics() {
    kubectl_.must({"delete", "apiservice", kApi});
    kubectl_.must({"delete", "clusterrole,clusterrolebinding", kReader});
  }
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // What the HorizontalPodAutoscaler gets; "" if there is no value.
  std::string value(const std::string& minicluster) const {
    const Outcome got =
        kubectl_({"get", "--raw",
                  "/apis/external.metrics.k8s.io/v1beta1/namespaces/" + kubectl_.namespace_name() +
                      "/minicluster_wanted_size?labelSelector=minicluster%3D" + minicluster});
    const json answer = json::parse(got.out, nullptr, false);
    return answer.is_object() ? answer.value("/items/0/value"_json_pointer, "") : "";
  }
  std::string logs() const { return prometheus_.log() + adapter_.err(); }

 private:
  static constexpr const char* kApi = "v1beta1.external.metrics.k8s.io";
  static constexpr const char* kReader = "external-metrics-reader";

  // As the chart of prometheus-adapter makes them, but the adapter runs outside.
  json objects() const {
    const json service = {{"apiVersion", "v1"},
                          {"kind", "Service"},
                          {"metadata", {{"name", "adapter"}}},
                          {"spec", {{"type", "ExternalName"}, {"externalName", "localhost"}}}};
    const json api = {
        {"apiVersion", "apiregistration.k8s.io/v1"},
        {"kind", "APIService"},
        {"metadata", {{"name", kApi}}},
        {"spec",
         {{"group", "external.metrics.k8s.io"},
          {"version", "v1beta1"},
          {"groupPriorityMinimum", 100},
          {"versionPriority", 100},
          {"insecureSkipTLSVerify", true},
          {"service",
           {{"namespace", kubectl_.namespace_name()}, {"name", "adapter"}, {"port", port_}}}}}};
    const json role = {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "ClusterRole"},
                       {"metadata", {{"name", kReader}}},
                       {"rules", json::array({{{"apiGroups", {"external.metrics.k8s.io"}},
                                               {"resources", {"*"}},
                                               {"verbs", {"get", "list"}}}})}};
    const json binding = {
        {"apiVersion", "rbac.authorization.k8s.io/v1"},
        {"kind", "ClusterRoleBinding"},
        {"metadata", {{"name", kReader}}},
        {"roleRef",
         {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", kReader}}},
        {"subjects", json::array({{{"kind", "ServiceAccount"},
                                   {"namespace", "kube-system"},
                                   {"name", "horizontal-pod-autoscaler"}}})}};
    return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", {service, api, role, binding}}};
  }

  const test::Kubectl& kubectl_;
  test::TemporaryFolder folder_;
  int port_;
  test::Prometheus prometheus_;
  test::Process adapter_;
};

class RealFluxAutoscaling : public PodStory {
 protected:
  void start(const NodeFolder& marks) const {
    json cluster = minicluster("elastic", 1, "",
                               {{"interactive", true},
                                {"minSize", 1},
                                {"maxSize", 4},
                                {"metricsPort", 9100},
                                {"drainSeconds", 60},
                                {"flux", {{"scheduler", {{"queuePolicy", "easy"}}}}}},
                               Flux::kInImage);
    container(cluster)["volumes"]["marks"] = marks.volume("/marks");
    apply(cluster);
    ASSERT_TRUE(reaches("elastic", "Ready"));
    flux_answers("elastic", "flux resource list -n -s free -o '{nnodes}'", "1");
  }

  std::size_t pods() const { return kubectl.items({"pods", "-l", "job-name=elastic"}).size(); }

  void autoscale() const {
    json autoscaler = of_docs("apiVersion: autoscaling/v2");
    autoscaler["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"] = kIdleSeconds;
    apply(autoscaler);
  }

  std::string all(const Metrics& metrics) const {
    return everything() + kubectl({"describe", "hpa", "elastic"}).out + metrics.logs();
  }
};

// Left out of `make e2e`, because prometheus-adapter takes minutes to build.
TEST_F(RealFluxAutoscaling, SlowTheSizeFollowsAJobOfFourNodesAndFallsToOneWhenIdle) {
  const NodeFolder marks;
  start(marks);
  const Metrics metrics(kubectl, pod("elastic", 0));
  ASSERT_TRUE(test::eventually([&] { return metrics.value("elastic") == "1"; }, 60s))
      << all(metrics);
  autoscale();
  const test::Stopwatch grows;
  const std::string id =
      answer("elastic",
             "flux submit -N4 --exclusive sh -c 'echo $FLUX_TASK_RANK >>/marks/ran; until [ -e "
             "/marks/go ]; "
             "do sleep 0.1; done'");
  ASSERT_TRUE(test::eventually([&] { return pods() == 4; }, 60s)) << all(metrics);
  std::cout << "4 pods after " << grows.seconds() << " s" << std::endl;
  ASSERT_TRUE(test::eventually(
      [&] { return test::lines_of(test::text_of(marks.path() / "ran")).size() == 4; }, 60s))
      << all(metrics);
  std::cout << "the job of 4 nodes runs after " << grows.seconds() << " s" << std::endl;
  EXPECT_EQ(metrics.value("elastic"), "4") << "also while the job runs";
  std::ofstream(marks.path() / "go") << "\n";
  const test::Stopwatch falls;
  ASSERT_TRUE(test::eventually([&] { return pods() == 1; }, 90s)) << all(metrics);
  std::cout << "1 pod after " << falls.seconds() << " s" << std::endl;
  EXPECT_GE(falls.seconds(), kIdleSeconds - 5) << "a scrape may be 5 s old";
  EXPECT_EQ(answer("elastic", "flux job status " + id + " && echo succeeded"), "succeeded")
      << all(metrics);
  EXPECT_EQ(answer("elastic", "flux jobs -a -n --filter=failed,canceled,timeout -o '{id}'"), "")
      << all(metrics);
}

}  // namespace
}  // namespace mc::e2e
