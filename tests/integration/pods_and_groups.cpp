#include "tests/integration/pods_and_groups.h"

#include <utility>

#include "common/kube/config.h"
#include "common/kube/informer.h"
#include "services/controller/cluster/read.h"
#include "tests/support/must.h"
#include "tests/support/pods.h"

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
        return Object{.metadata = controller::read_metadata(pod),
                      .group = kind.group_of(pod),
                      .has_ended = has_ended(pod)};
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
    running_[name] = *change.after.object();
    if (running_[name].group.empty()) seen_.in_no_group.insert(name);
  } else {
    running_.erase(name);
  }
  look();
}

void PodsAndGroups::take_group(const kube::Change<Object>& change) {
  {
    const std::scoped_lock lock(mutex_);
    const std::string& name = change.latest()->metadata.name;
    if (!change.before) ++groups_so_far_;
    if (change.after) {
      groups_[name] = change.after.object()->metadata;
    } else {
      groups_.erase(name);
    }
    look();
  }
  changed_.notify_all();
}

void PodsAndGroups::count(const std::string& pod, Clock::time_point since) {
  const std::chrono::duration<double> missing = Clock::now() - since;
  if (missing <= seen_.longest_missing) return;
  seen_.longest_missing = missing;
  seen_.missed_by = pod;
}

void PodsAndGroups::look() {
  for (const auto& [name, pod] : running_) {
    if (!pod.group.empty() && !is_there(pod.group)) missing_since_.try_emplace(name, Clock::now());
  }
  for (auto each = missing_since_.begin(); each != missing_since_.end();) {
    const auto& [name, since] = *each;
    const auto pod = running_.find(name);
    const bool runs = pod != running_.end();
    if (runs && !is_there(pod->second.group)) {
      ++each;
      continue;
    }
    if (!runs || groups_[pod->second.group].created > pod->second.metadata.created) {
      count(name, since);
    }
    each = missing_since_.erase(each);
  }
}

PodsAndGroups::Seen PodsAndGroups::seen() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [pod, since] : missing_since_) count(pod, since);
  return seen_;
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
