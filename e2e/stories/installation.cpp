#include "e2e/stories/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "e2e/stories/pod_story.h"
#include "e2e/stories/secrets.h"
#include "tests/support/folders.h"
#include "tests/support/helm.h"

namespace mc::e2e {
namespace {

class Whole : public ::testing::Environment {
 public:
  void SetUp() override { Installation::get().install(); }
  void TearDown() override { Installation::get().expect_success(); }
};

[[maybe_unused]] ::testing::Environment* const kWhole =
    ::testing::AddGlobalTestEnvironment(new Whole);

std::string of_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set: use e2e/run.sh");
  return value;
}

// klog's first letter: E for errors.
std::vector<std::string> errors_in(const std::string& log) {
  std::vector<std::string> errors;
  for (const std::string& line : test::lines_of(log)) {
    if (line.starts_with("E") || line.starts_with("F")) errors.push_back(line);
  }
  return errors;
}

}  // namespace

Installation& Installation::get() {
  static Installation installation;
  return installation;
}

Installation::Installation()
    : kubectl_(test::Kubectl::from_environment().in(test::kReleaseNamespace)) {}

std::string Installation::chart() const { return of_environment("MINICLUSTER_E2E_CHART"); }
std::string Installation::previous_chart() const {
  return of_environment("MINICLUSTER_E2E_PREVIOUS_CHART");
}

std::vector<std::string> Installation::values(const std::string& of_chart) const {
  std::vector<std::string> out = {
      "--set=image.registry=localhost", "--set=webhook.certificate.self.caLifetime=5m",
      "--set=webhook.certificate.self.leafLifetime=100s",
      "--set=webhook.certificate.self.mountDelay=40s",
      "--set=test.image.repository=localhost/helm-test,test.image.tag=e2e"};
  if (of_chart == previous_chart()) return out;
  out.push_back("--set=gpuResources={example.com/accelerator}");
  if (const char* kind = std::getenv("MINICLUSTER_TEST_GANG")) {
    out.push_back("--set=gang=auto,gangKinds={" + std::string(kind) + "}");
  }
  return out;
}

void Installation::install() {
  if (test::helm({"status", test::kRelease}).code != 0) {
    kubectl_.must({"create", "namespace", test::kReleaseNamespace});
    kubectl_.must({"label", "namespace", test::kReleaseNamespace,
                   "pod-security.kubernetes.io/enforce=restricted"});
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::string> arguments = {"install", test::kRelease, chart()};
    const auto given = values(chart());
    arguments.insert(arguments.end(), given.begin(), given.end());
    test::must_helm(arguments);
    const std::string good = minicluster("first", 3, "hostname").dump();
    const bool admitted = test::eventually(
        [&] {
          const test::Outcome outcome =
              kubectl_({"create", "--dry-run=server", "-o", "json", "-f", "-"}, good);
          return outcome.code == 0 &&
                 json::parse(outcome.out).value("/spec/maxSize"_json_pointer, 0) == 3;
        },
        std::chrono::seconds(90));
    ASSERT_TRUE(admitted) << kubectl_({"get", "pods,events", "-o", "wide"}).out
                          << kubectl_({"create", "--dry-run=server", "-f", "-"}, good).err;
    first_ = std::chrono::steady_clock::now() - began;
  }
  for (const char* name : {"webhook", "controller"}) {
    kubectl_.must({"rollout", "status", "--timeout=50s",
                   std::string("deployment/") + test::kRelease + "-" + name});
  }
  load_.emplace(kubectl_);
  secret_.emplace(std::vector<std::string>{
      kubectl_.control_plane() / "kubectl", "--kubeconfig=" + kubectl_.kubeconfig().string(),
      std::string("--namespace=") + test::kReleaseNamespace, "get", "secrets", "--watch",
      std::string("--field-selector=metadata.name=") + test::kRelease + "-webhook-certificate",
      R"(-o=jsonpath={.data.ca\.crt} {.data.tls\.crt}{"\n"})"});
}

Installation::Certificates Installation::certificates() const {
  Certificates found;
  std::istringstream lines(secret_ ? secret_->out() : "");
  for (std::string authority, leaf; lines >> authority >> leaf;) {
    found.authorities.insert(authority);
    found.leaves.insert(leaf);
  }
  return found;
}

void Installation::expect_clean_logs() const {
  const json pods = kubectl_.get({"pods"});
  for (const json& pod : pods.at("items")) {
    const std::string name = pod.at("metadata").at("name");
    EXPECT_EQ(pod.value("/status/containerStatuses/0/restartCount"_json_pointer, 0), 0) << name;
    EXPECT_THAT(errors_in(kubectl_({"logs", name}).out), ::testing::IsEmpty()) << name;
  }
}

void Installation::expect_success() {
  if (!load_) return;
  const AdmissionLoad::Counts counts = load_->counts();
  load_.reset();
  std::cout << "admissions during the whole run: " << counts.accepted << " accepted, "
            << counts.refused << " refused, " << counts.failed.size() << " failed" << std::endl;
  EXPECT_THAT(counts.failed, ::testing::IsEmpty());
  expect_secrets_are_nowhere(kubectl_);
  secret_.reset();
  expect_clean_logs();
}

}  // namespace mc::e2e
