#include "services/controller/cluster/pod_tally.h"

namespace mc::controller {

PodTally::Place PodTally::add(const api::Amounts& requests) {
  const Place place = &*groups_.try_emplace(requests).first;
  ++place->second;
  return place;
}

void PodTally::remove(Place place) {
  if (place == nullptr) return;
  if (--place->second == 0) groups_.erase(groups_.find(place->first));
}

std::vector<EqualPods> PodTally::groups() const {
  std::vector<EqualPods> out;
  out.reserve(groups_.size());
  for (const auto& [requests, count] : groups_) out.push_back({requests, count});
  return out;
}

}  // namespace mc::controller
