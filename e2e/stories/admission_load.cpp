#include "e2e/stories/admission_load.h"

#include <chrono>

#include "common/base/clock.h"
#include "common/kube/client.h"
#include "common/kube/config.h"
#include "e2e/stories/pod_story.h"
#include "services/api_resources.h"

namespace mc::e2e {
namespace {

constexpr std::chrono::milliseconds kPeriod{500}, kDensePeriod{50};

json good() {
  json object = minicluster("load", 3, "hostname");
  object["metadata"]["namespace"] = "default";
  return object;
}

// The CRD alone accepts it.
json bad() {
  json object = good();
  container(object)["resources"] = {{"limits", {{"cpu", "much"}}}};
  return object;
}

std::string words(const Result<json>& answer) {
  return answer ? answer->value("spec", json()).dump() : answer.error().message;
}

}  // namespace

AdmissionLoad::AdmissionLoad(const test::Kubectl& kubectl)
    : thread_([this, path = kubectl.kubeconfig().string()](const std::stop_token& stop) {
        run(stop, path);
      }) {}

AdmissionLoad::Counts AdmissionLoad::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

void AdmissionLoad::run(const std::stop_token& stop, const std::string& kubeconfig) {
  const auto config = kube::load_config(kubeconfig);
  const auto transport =
      config ? kube::Transport::create(*config)
             : Result<std::unique_ptr<kube::Transport>>(std::unexpected(config.error()));
  if (!transport) {
    const std::scoped_lock lock(mutex_);
    counts_.failed.push_back(transport.error().message);
    return;
  }
  const kube::Client client(**transport);
  const auto accepted = kube::request::dry_run(kube::request::create(kMiniClusters, good()));
  const auto refused = kube::request::dry_run(kube::request::create(kMiniClusters, bad()));
  const auto began = std::chrono::steady_clock::now();
  auto sent = began - kPeriod;
  while (!stop.stop_requested()) {
    wait(sent + (dense_ ? kDensePeriod : kPeriod) - std::chrono::steady_clock::now(), stop);
    const std::scoped_lock sending(sending_);
    sent = std::chrono::steady_clock::now();
    const auto yes = client.send(accepted);
    const auto no = client.send(refused);
    const std::scoped_lock lock(mutex_);
    const bool defaulted = yes && yes->value("/spec/maxSize"_json_pointer, 0) == 3;
    const bool explained =
        !no && no.error().message.find("spec.containers[0].resources") != std::string::npos;
    counts_.accepted += defaulted ? 1 : 0;
    counts_.refused += explained ? 1 : 0;
    const std::chrono::duration<double> at = std::chrono::steady_clock::now() - began;
    const std::string when = std::to_string(at.count()) + " s: ";
    if (!defaulted) counts_.failed.push_back(when + "the good one: " + words(yes));
    if (!explained) counts_.failed.push_back(when + "the bad one: " + words(no));
  }
}

}  // namespace mc::e2e
