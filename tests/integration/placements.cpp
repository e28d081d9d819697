#include "tests/integration/placements.h"

#include <algorithm>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/kube/config.h"
#include "common/kube/informer.h"
#include "services/controller/cluster/read.h"
#include "tests/support/must.h"
#include "tests/support/pods.h"

namespace mc::test {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

Placements::Placements(const Kubectl& kubectl)
    : transport_(must(kube::Transport::create(must(kube::load_config(kubectl.kubeconfig())), {}))),
      store_([](const json& pod) {
        return PodOf{.metadata = controller::read_metadata(pod),
                     .cluster = text_at(pod, {"metadata", "labels", api::kClusterLabel}),
                     .is_placed = !text_at(pod, {"spec", "nodeName"}).empty() && !has_ended(pod)};
      }) {
  store_.listen([this](const kube::Change<PodOf>& change) {
    const bool before = change.before && change.before.object()->is_placed,
               after = change.after && change.after.object()->is_placed;
    if (before == after) return;
    const std::scoped_lock lock(mutex_);
    all_.push_back({steady_clock::now(), change.latest()->cluster, after ? 1 : -1});
  });
  thread_ = std::jthread([this, ns = kubectl.namespace_name()](const std::stop_token& stop) {
    kube::Informer(*transport_, store_, clock_, {.resource = kube::kPods, .ns = ns}, {}).run(stop);
  });
}

std::vector<Placement> Placements::all() const {
  const std::scoped_lock lock(mutex_);
  return all_;
}

Placed placed(const std::vector<Placement>& all, const std::map<std::string, int>& needed,
              steady_clock::time_point now) {
  Placed out;
  std::map<std::string, int> has;
  std::map<std::string, steady_clock::time_point> first;
  std::map<std::string, bool> is_whole;  // it got all that it needs since it had none
  steady_clock::time_point two_since = now;
  std::size_t before = 0;
  const auto in_part = [&] {
    std::vector<std::string> names;
    for (const auto& [name, count] : has) {
      if (count > 0 && !is_whole[name]) names.push_back(name);
    }
    return names;
  };
  for (const Placement& each : all) {
    int& count = has[each.cluster];
    count += each.change;
    if (count == 0) is_whole[each.cluster] = false;
    if (each.change > 0 && count == 1 && !is_whole[each.cluster]) first[each.cluster] = each.time;
    if (!is_whole[each.cluster] && count >= needed.at(each.cluster)) {
      is_whole[each.cluster] = true;
      out.spans.emplace_back(each.time - first[each.cluster]);
    }
    const std::size_t parts = in_part().size();
    if (before < 2 && parts >= 2) two_since = each.time;
    if (before >= 2 && parts < 2) {
      out.longest_of_two_in_part =
          std::max(out.longest_of_two_in_part, Seconds(each.time - two_since));
    }
    before = parts;
  }
  if (before >= 2) {
    out.longest_of_two_in_part = std::max(out.longest_of_two_in_part, Seconds(now - two_since));
  }
  out.in_part = in_part();
  std::ranges::sort(out.spans);
  return out;
}

}  // namespace mc::test
