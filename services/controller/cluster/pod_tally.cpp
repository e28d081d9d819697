#include "services/controller/cluster/pod_tally.h"

namespace mc::controller {

PodTally::Place PodTally::add(const api::Amounts& requests, bool is_broker) {
  const auto group = groups_.try_emplace(requests).first;
  ++(is_broker ? group->second.brokers : group->second.others);
  return {&*group, is_broker};
}

void PodTally::remove(const Place& place) {
  if (place.group == nullptr) return;
  auto& [requests, counts] = *place.group;
  --(place.is_broker ? counts.brokers : counts.others);
  if (counts.brokers + counts.others == 0) groups_.erase(groups_.find(requests));
}

std::vector<PodGroup> PodTally::groups() const {
  std::vector<PodGroup> out;
  out.reserve(groups_.size());
  for (const auto& [requests, counts] : groups_) {
    out.push_back({requests, counts.brokers, counts.others});
  }
  return out;
}

}  // namespace mc::controller
