#include "tests/faults/wishes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "common/api/model/accounts.h"
#include "common/base/json.h"
#include "common/kube/object.h"
#include "services/api_resources.h"
#include "tests/support/eventually.h"
#include "tests/support/minicluster.h"

namespace mc::test {
namespace {

constexpr int kMaxSize = 4;
constexpr const char* kNote = "faults.test/note";
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

std::string name_of(const json& object) { return kube::metadata_text(object, "name"); }

bool holds(const json& cluster, const std::string& type) {
  for (const json& condition : at_path(cluster, {"status", "conditions"})) {
    if (condition.value("type", "") == type) return condition.value("status", "") == "True";
  }
  return false;
}

bool lives(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase != "Succeeded" && phase != "Failed" &&
         !at_path(pod, {"metadata"}).contains("deletionTimestamp");
}

}  // namespace

Wishes::Wishes(const Kubectl& kubectl, std::uint64_t seed)
    : space_(kubectl.namespace_name()),
      transport_(transport_to(kubectl)),
      client_(*transport_),
      random_(seed) {}

bool Wishes::make() {
  if (wishes_.size() == kClusters) return false;
  const std::string name = "c" + std::to_string(wishes_.size() + 1);
  Wish& wish = wishes_[name];
  wish.size = 1 + static_cast<int>(pick(kMaxSize));
  json cluster = minicluster(name, {{"size", wish.size}, {"maxSize", kMaxSize}});
  cluster["metadata"]["namespace"] = space_;
  EXPECT_TRUE(eventually([&] {
    const auto made = client_.create(kMiniClusters, cluster);
    return made || made.error().kind == ErrorKind::AlreadyExists;
  })) << name;
  return true;
}

void Wishes::act() {
  const std::size_t what = pick(100);
  if (what < 45 && make()) return;
  const std::string name = some();
  if (name.empty()) return;
  if (what < 65) return resize(name);
  if (what < 75) return annotate(name);
  if (what < 88) return finish(name);
  remove(name);
}

std::string Wishes::some() {
  std::vector<std::string> names;
  for (const auto& [name, wish] : wishes_) {
    if (!wish.deleted && !wish.finished) names.push_back(name);
  }
  return names.empty() ? "" : names[pick(names.size())];
}

void Wishes::resize(const std::string& name) {
  const int size = 1 + static_cast<int>(pick(kMaxSize));
  if (patch(name, {{"spec", {{"size", size}}}})) wishes_[name].size = size;
}

void Wishes::annotate(const std::string& name) {
  const std::string note = std::to_string(random_());
  if (patch(name, {{"metadata", {{"annotations", {{kNote, note}}}}}})) wishes_[name].note = note;
}

bool Wishes::patch(const std::string& name, const json& body) {
  const bool done = eventually([&] {
    return client_.patch(kMiniClusters, space_, name, kube::PatchType::Merge, body).has_value();
  });
  EXPECT_TRUE(done) << name;
  return done;
}

void Wishes::remove(const std::string& name) {
  wishes_[name].deleted = true;
  EXPECT_TRUE(eventually([&] {
    const auto gone = client_.remove(kMiniClusters, space_, name);
    return gone || gone.error().kind == ErrorKind::NotFound;
  })) << name;
}

// A kubelet starts no container before its volumes are there, and this ConfigMap is made last.
bool Wishes::can_start(const std::string& name) {
  return std::ranges::any_of(all(kube::kConfigMaps), [&](const json& object) {
    return name_of(object).starts_with(name + "-entrypoint-");
  });
}

// Writes the lead's end, as a kubelet does; does nothing if there is no lead yet, or none that
// could have run.
void Wishes::finish(const std::string& name) {
  if (!can_start(name)) return;
  const json ended = {{"terminated", {{"exitCode", 0}, {"reason", "Completed"}}}};
  const json container = {{"name", name},    {"image", "ubuntu:noble"}, {"imageID", ""},
                          {"ready", false},  {"restartCount", 0},       {"state", ended},
                          {"started", false}};
  for (const json& pod : all(kube::kPods)) {
    const json& labels = at_path(pod, {"metadata", "labels"});
    if (!lives(pod) || labels.value(kJobName, "") != name || labels.value(kIndex, "") != "0") {
      continue;
    }
    const json status = {{"phase", "Succeeded"}, {"containerStatuses", json::array({container})}};
    const auto done = client_.patch(kube::kPods, space_, name_of(pod), kube::PatchType::Merge,
                                    {{"status", status}}, "status");
    if (done) wishes_[name].finished = true;
    return;
  }
}

std::vector<json> Wishes::all(const kube::Resource& resource) {
  std::vector<json> out;
  EXPECT_TRUE(eventually(
      [&] {
        auto list = client_.list(resource, space_);
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

std::vector<std::string> Wishes::unsettled() {
  std::vector<std::string> out;
  pending_.clear();
  std::map<std::string, std::vector<json>> owned;  // by uid of the owner
  for (const kube::Resource& resource :
       {kube::kJobs, kube::kServices, kube::kConfigMaps, kube::kSecrets, kube::kPods,
        kube::kPodDisruptionBudgets}) {
    for (json& object : all(resource)) {
      if (name_of(object) == "kube-root-ca.crt") continue;
      if (name_of(object) == api::kAccountsConfigMap) continue;  // outlives all
      const std::string owner = kube::controller_uid(object);
      if (owner.empty()) out.push_back(name_of(object) + " is owned by nobody");
      owned[owner].push_back(std::move(object));
    }
  }
  std::set<std::string> uids;
  for (const json& cluster : all(kMiniClusters)) {
    const auto wish = wishes_.find(name_of(cluster));
    const std::string uid = kube::metadata_text(cluster, "uid");
    uids.insert(uid);
    if (wish == wishes_.end() || wish->second.deleted) {
      out.push_back(name_of(cluster) + " is still there");
      continue;
    }
    std::size_t pods = 0;
    for (const json& object : owned[uid]) {
      const std::string job = kube::metadata_text(object, "uid");
      if (object["kind"] != "Job") continue;
      uids.insert(job);
      for (const json& pod : owned[job]) pods += lives(pod) ? 1 : 0;
    }
    const std::string wrong = difference(wish->second, cluster, owned[uid], pods);
    if (!wrong.empty()) out.push_back(name_of(cluster) + " " + wrong);
  }
  std::size_t wanted = 0;
  for (const auto& [name, wish] : wishes_) wanted += wish.deleted ? 0 : 1;
  if (const auto there = all(kMiniClusters).size(); there != wanted) {
    out.push_back(std::to_string(there) + " MiniClusters of " + std::to_string(wanted));
  }
  for (const auto& [owner, objects] : owned) {
    if (uids.contains(owner)) continue;
    for (const json& object : objects) {
      // A pod's owner is the Job, so both are Kubernetes'; after restarts of the API server, its
      // controllers retry the last pods of a Job only after minutes.
      if (object["kind"] == "Pod") continue;
      pending_.push_back(name_of(object) + " has no owner any more: " + object["metadata"].dump());
    }
  }
  return out;
}

// "" if it is as requested, except for pending work of Kubernetes.
std::string Wishes::difference(const Wish& wish, const json& cluster,
                               const std::vector<json>& owned, std::size_t pods) {
  const json& notes = at_path(cluster, {"metadata", "annotations"});
  if (integer_at(cluster, {"spec", "size"}) != wish.size) return "has another size";
  if (!wish.note.empty() && notes.value(kNote, "") != wish.note) return "has another note";
  std::map<std::string, int> kinds;
  json job;
  for (const json& object : owned) {
    ++kinds[object["kind"].get<std::string>()];
    if (object["kind"] == "Job") job = object;
  }
  if (kinds !=
          std::map<std::string, int>{
              {"ConfigMap", kinds["ConfigMap"]}, {"Job", 1}, {"Secret", 1}, {"Service", 1}} ||
      kinds["ConfigMap"] == 0) {
    return "owns " + json(kinds).dump();
  }
  if (wish.finished && holds(cluster, "Complete")) return "";
  if (wish.finished && holds(job, "Complete")) return "is not complete";
  if (wish.finished) {
    pending_.push_back(name_of(cluster) + " has a Job that has not ended");
    return "";
  }
  if (!holds(cluster, "ObjectsReady")) return "is not ready";
  if (integer_at(job, {"spec", "parallelism"}) != wish.size) return "has a Job of another size";
  if (pods != static_cast<std::size_t>(wish.size)) {
    pending_.push_back(name_of(cluster) + " has " + std::to_string(pods) + " pods");
  }
  return "";
}

}  // namespace mc::test
