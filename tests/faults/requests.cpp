#include "tests/faults/requests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/kube/object.h"
#include "tests/support/eventually.h"
#include "tests/support/pods.h"

namespace mc::test {
namespace {

constexpr const char* kJobName = "batch.kubernetes.io/job-name";
constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";

std::unique_ptr<kube::Transport> transport_to(const Kubectl& kubectl) {
  const auto config = kube::load_config(kubectl.kubeconfig());
  EXPECT_TRUE(config) << config.error().message;
  kube::TransportOptions options;
  options.response_timeout = std::chrono::seconds(10);
  auto transport = kube::Transport::create(*config, options);
  EXPECT_TRUE(transport) << transport.error().message;
  return *std::move(transport);
}

}  // namespace

std::string name_of(const json& object) { return kube::metadata_text(object, "name"); }

std::string job_of(const json& pod) { return text_at(pod, {"metadata", "labels", kJobName}); }

bool lives(const json& pod) {
  return !has_ended(pod) && !at_path(pod, {"metadata"}).contains("deletionTimestamp");
}

Requests::Requests(const Kubectl& kubectl)
    : space_(kubectl.namespace_name()), transport_(transport_to(kubectl)), client_(*transport_) {}

void Requests::create(const kube::Resource& resource, json object) const {
  if (resource.namespaced) object["metadata"]["namespace"] = space_;
  EXPECT_TRUE(eventually([&] {
    const auto made = client_.create(resource, object);
    return made || made.error().kind == ErrorKind::AlreadyExists;
  })) << name_of(object);
}

bool Requests::patch(const kube::Resource& resource, const std::string& name,
                     const json& body) const {
  const std::string space = resource.namespaced ? space_ : "";
  bool exists = true;
  const bool done = eventually([&] {
    const auto patched = client_.patch(resource, space, name, kube::PatchType::Merge, body);
    exists = patched || patched.error().kind != ErrorKind::NotFound;
    return patched || !exists;
  });
  EXPECT_TRUE(done) << name;
  return done && exists;
}

void Requests::remove(const kube::Resource& resource, const std::string& name) const {
  EXPECT_TRUE(eventually([&] {
    const auto gone = client_.remove(resource, resource.namespaced ? space_ : "", name);
    return gone || gone.error().kind == ErrorKind::NotFound;
  })) << name;
}

std::vector<json> Requests::all(const kube::Resource& resource) const {
  std::vector<json> out;
  EXPECT_TRUE(eventually(
      [&] {
        auto list = client_.list(resource, resource.namespaced ? space_ : "");
        if (!list) return false;
        out.assign(std::make_move_iterator((*list)["items"].begin()),
                   std::make_move_iterator((*list)["items"].end()));
        return true;
      },
      std::chrono::seconds(60)))
      << resource.kind;
  for (json& object : out) object["kind"] = resource.kind;
  return out;
}

json Requests::lead(const std::string& minicluster) const {
  const bool can_start = std::ranges::any_of(all(kube::kConfigMaps), [&](const json& object) {
    return name_of(object).starts_with(minicluster + "-entrypoint-");
  });
  if (!can_start) return nullptr;
  for (json& pod : all(kube::kPods)) {
    const bool leads = text_at(pod, {"metadata", "labels", kIndex}) == "0";
    if (leads && job_of(pod) == minicluster && lives(pod)) return std::move(pod);
  }
  return nullptr;
}

bool Requests::end(const json& pod, int exit_code) const {
  const json ended = {
      {"terminated",
       {{"exitCode", exit_code}, {"reason", exit_code == 0 ? "Completed" : "Error"}}}};
  const json container = {{"name", job_of(pod)}, {"image", "ubuntu:noble"}, {"imageID", ""},
                          {"ready", false},      {"restartCount", 0},       {"state", ended},
                          {"started", false}};
  const json status = {{"phase", exit_code == 0 ? "Succeeded" : "Failed"},
                       {"containerStatuses", json::array({container})}};
  return client_
      .patch(kube::kPods, space_, name_of(pod), kube::PatchType::Merge, {{"status", status}},
             "status")
      .has_value();
}

}  // namespace mc::test
