#include "tests/integration/quota_story.h"

#include <algorithm>
#include <functional>

#include "common/kube/config.h"
#include "tests/support/must.h"
#include "tests/support/pods.h"

namespace mc::test {
namespace {

using std::chrono::seconds;

int count_pods(const kube::Client& client, const std::string& ns) {
  const auto pods = client.list(kube::kPods, ns, {.limit = 0});
  if (!pods) return 0;
  return static_cast<int>(
      std::ranges::count_if(items_at(*pods, {"items"}), std::not_fn(has_ended)));
}

}  // namespace

PodCount::PodCount(const Kubectl& kubectl)
    : transport_(must(kube::Transport::create(must(kube::load_config(kubectl.kubeconfig())), {}))),
      ns_(kubectl.namespace_name()),
      thread_([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          most_ = std::max<int>(most_, now());
          ++samples_;
        }
      }) {}

int PodCount::now() const { return count_pods(client_, ns_); }

int QuotaStory::setups_ = 0;

void QuotaStory::SetUpTestSuite() { OnNodes::SetUpTestSuite(); }

void QuotaStory::TearDownTestSuite() {
  Stage& stage = Stage::get();
  stage.kubectl().must({"delete", "fluxsetups", "--all"});
  stage.without_controller();
  stage.kubectl()({"delete", "configmap", "minicluster-workspace"});
  OnNodes::TearDownTestSuite();
}

void QuotaStory::TearDown() {
  // The API server ends a request after a minute, in which it has deleted some thousands.
  EXPECT_TRUE(
      eventually([&] { return kubectl({"delete", "--raw", raw("")}).code == 0; }, seconds(600)));
  EXPECT_TRUE(eventually([&] { return kubectl.get({"pods"})["items"].empty(); }, seconds(60)));
}

json QuotaStory::setup(const std::string& name, const json& spec) {
  return {{"apiVersion", "flux-framework.org/v1alpha2"},
          {"kind", "FluxSetup"},
          {"metadata", {{"name", name}}},
          {"spec", spec}};
}

std::string QuotaStory::limit(const json& spec) {
  // Of the same second, the last name is in force.
  std::string number = std::to_string(++setups_);
  number.insert(0, 4 - number.size(), '0');
  const std::string name = "setup-" + number;
  create(setup(name, spec));
  EXPECT_TRUE(eventually([&] { return setup_says(name, "InForce") == "True Newest"; }))
      << kubectl({"get", "fluxsetups", "-o", "yaml"}).out << Stage::get().controller_log();
  return name;
}

std::string QuotaStory::setup_says(const std::string& name, const std::string& type) {
  const json object = kubectl.get({"fluxsetup", name});
  for (const json& entry : value_at(object, "/status/conditions", json::array())) {
    if (entry["type"] == type) {
      return entry["status"].get<std::string>() + " " + entry["reason"].get<std::string>();
    }
  }
  return "";
}

void QuotaStory::submit(const std::string& name, int size, const json& spec) {
  json object = minicluster(name, spec);
  object["spec"]["size"] = size;
  object["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1";
  create(object);
}

void QuotaStory::is(const std::string& name, const std::string& phase, seconds limit) {
  EXPECT_TRUE(
      eventually([&] { return value_at(status(name), "/phase", std::string()) == phase; }, limit))
      << name << " is not " << phase << "\n"
      << status(name).dump(2) << kubectl({"get", "miniclusters,jobs,pods"}).out;
}

std::string QuotaStory::quota_says(const std::string& name, const std::string& status_and_reason) {
  std::string message;
  EXPECT_TRUE(eventually([&] {
    const json conditions = value_at(status(name), "/conditions", json::array());
    return std::ranges::any_of(conditions, [&](const json& entry) {
      if (entry["type"] != "QuotaReserved") return false;
      message = entry["message"].get<std::string>();
      return entry["status"].get<std::string>() + " " + entry["reason"].get<std::string>() ==
                 status_and_reason &&
             message != "The queue has not decided yet.";
    });
  })) << name
      << " does not say " << status_and_reason << "\n"
      << status(name).dump(2);
  return message;
}

std::vector<std::string> QuotaStory::in_phase(const std::string& phase) {
  std::vector<std::string> out;
  const json all = kubectl.get({"miniclusters"});
  for (const json& one : all["items"]) {
    if (value_at(one, "/status/phase", std::string()) == phase) {
      out.push_back(one["metadata"]["name"].get<std::string>());
    }
  }
  return out;
}

}  // namespace mc::test
