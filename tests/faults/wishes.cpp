#include "tests/faults/wishes.h"

#include <gtest/gtest.h>

#include <set>

#include "common/api/model/accounts.h"
#include "common/api/model/conditions.h"
#include "common/base/json.h"
#include "common/kube/object.h"
#include "services/api_resources.h"
#include "tests/support/minicluster.h"

namespace mc::test {
namespace {

constexpr int kMaxSize = 4;
constexpr const char* kNote = "faults.test/note";

}  // namespace

Wishes::Wishes(const Kubectl& kubectl, std::uint64_t seed) : requests_(kubectl), random_(seed) {}

bool Wishes::make() {
  if (wishes_.size() == kClusters) return false;
  const std::string name = "c" + std::to_string(wishes_.size() + 1);
  Wish& wish = wishes_[name];
  wish.size = 1 + static_cast<int>(pick(kMaxSize));
  requests_.create(kMiniClusters, minicluster(name, {{"size", wish.size}, {"maxSize", kMaxSize}}));
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
  if (requests_.patch(kMiniClusters, name, {{"spec", {{"size", size}}}})) wishes_[name].size = size;
}

void Wishes::annotate(const std::string& name) {
  const std::string note = std::to_string(random_());
  if (requests_.patch(kMiniClusters, name, {{"metadata", {{"annotations", {{kNote, note}}}}}}))
    wishes_[name].note = note;
}

void Wishes::remove(const std::string& name) {
  wishes_[name].deleted = true;
  requests_.remove(kMiniClusters, name);
}

// Does nothing if there is no lead yet, or none that could have run.
void Wishes::finish(const std::string& name) {
  const json lead = requests_.lead(name);
  if (!lead.is_null() && requests_.end(lead, 0)) wishes_[name].finished = true;
}

std::vector<std::string> Wishes::unsettled() {
  std::vector<std::string> out;
  pending_.clear();
  std::map<std::string, std::vector<json>> owned;  // by uid of the owner
  for (const kube::Resource& resource :
       {kube::kJobs, kube::kServices, kube::kConfigMaps, kube::kSecrets, kube::kPods,
        kube::kPodDisruptionBudgets}) {
    for (json& object : requests_.all(resource)) {
      if (name_of(object) == "kube-root-ca.crt") continue;
      if (name_of(object) == api::kAccountsConfigMap) continue;  // outlives all
      const std::string owner = kube::controller_uid(object);
      if (owner.empty()) out.push_back(name_of(object) + " is owned by nobody");
      owned[owner].push_back(std::move(object));
    }
  }
  std::set<std::string> uids;
  for (const json& cluster : requests_.all(kMiniClusters)) {
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
  if (const auto there = requests_.all(kMiniClusters).size(); there != wanted) {
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
  if (wish.finished && api::true_condition_of(cluster, "Complete") != nullptr) return "";
  if (wish.finished && api::true_condition_of(job, "Complete") != nullptr) return "is not complete";
  if (wish.finished) {
    pending_.push_back(name_of(cluster) + " has a Job that has not ended");
    return "";
  }
  if (api::true_condition_of(cluster, "ObjectsReady") == nullptr) return "is not ready";
  if (integer_at(job, {"spec", "parallelism"}) != wish.size) return "has a Job of another size";
  if (pods != static_cast<std::size_t>(wish.size)) {
    pending_.push_back(name_of(cluster) + " has " + std::to_string(pods) + " pods");
  }
  return "";
}

}  // namespace mc::test
