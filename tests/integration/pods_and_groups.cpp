#include "tests/integration/pods_and_groups.h"

#include <utility>

#include "common/kube/config.h"
#include "common/kube/informer.h"
#include "services/controller/cluster/read.h"
#include "tests/support/must.h"

namespace mc::test {

PodsAndGroups::Watch::Watch(const Kubectl& kubectl, const kube::Resource& of,
                            std::function<Object(const json&)> read,
                            kube::Store<Object>::Observer listener)
    : resource(of),
      transport(must(kube::Transport::create(must(kube::load_config(kubectl.kubeconfig())), {}))),
      store(std::move(read)) {
  store.listen(std::move(listener));
  thread = std::jthread([this, ns = kubectl.namespace_name()](const std::stop_token& stop) {
    kube::Informer(*transport, store, clock, {.resource = resource, .ns = ns}, {}).run(stop);
  });
}

PodsAndGroups::PodsAndGroups(const Kubectl& kubectl, const GangKind& kind) {
  pods_ = std::make_unique<Watch>(
      kubectl, kube::kPods,
      [&kind](const json& pod) {
        const std::string phase = value_at(pod, "/status/phase", std::string());
        return Object{.metadata = controller::read_metadata(pod),
                      .group = kind.group_of(pod),
                      .has_ended = phase == "Succeeded" || phase == "Failed"};
      },
      [this](const kube::Change<Object>& change) { take_pod(change); });
  pod_groups_ = std::make_unique<Watch>(
      kubectl, kind.groups,
      [](const json& group) {
        return Object{.metadata = controller::read_metadata(group), .group = {}};
      },
      [this](const kube::Change<Object>& change) { take_group(change); });
}

PodsAndGroups::~PodsAndGroups() {
  pods_.reset();
  pod_groups_.reset();
}

void PodsAndGroups::take_pod(const kube::Change<Object>& change) {
  const std::scoped_lock lock(mutex_);
  const std::string& name = change.latest()->metadata.name;
  if (!change.before) ++seen_.pods;
  if (change.after && !change.after.object()->has_ended) {
    group_of_[name] = change.after.object()->group;
    if (group_of_[name].empty()) seen_.in_no_group.insert(name);
  } else {
    group_of_.erase(name);
  }
  look();
}

void PodsAndGroups::take_group(const kube::Change<Object>& change) {
  {
    const std::scoped_lock lock(mutex_);
    const std::string& name = change.latest()->metadata.name;
    if (!change.before) ++groups_so_far_;
    change.after ? void(groups_.insert(name)) : void(groups_.erase(name));
    look();
  }
  changed_.notify_all();
}

void PodsAndGroups::look() {
  const auto now = Clock::now();
  for (const auto& [pod, group] : group_of_) {
    if (!group.empty() && !groups_.contains(group)) missing_since_.try_emplace(pod, now);
  }
  for (auto each = missing_since_.begin(); each != missing_since_.end();) {
    const auto& [pod, since] = *each;
    if (now - since > seen_.longest_missing) {
      seen_.longest_missing = now - since;
      seen_.missed_by = pod;
    }
    const auto found = group_of_.find(pod);
    const bool is_over = found == group_of_.end() || groups_.contains(found->second);
    each = is_over ? missing_since_.erase(each) : std::next(each);
  }
}

PodsAndGroups::Seen PodsAndGroups::seen() const {
  const std::scoped_lock lock(mutex_);
  Seen out = seen_;
  for (const auto& [pod, since] : missing_since_) {
    const std::chrono::duration<double> until_now = Clock::now() - since;
    if (until_now <= out.longest_missing) continue;
    out.longest_missing = until_now;
    out.missed_by = pod;
  }
  return out;
}

int PodsAndGroups::groups_so_far() const {
  const std::scoped_lock lock(mutex_);
  return groups_so_far_;
}

bool PodsAndGroups::another_group(int before, std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return groups_so_far_ > before; });
}

}  // namespace mc::test
