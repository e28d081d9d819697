#include "services/controller/quota/pod_tally.h"

#include "common/api/model/names.h"

namespace mc::controller::quota {
namespace {

bool holds_resources(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase != "Succeeded" && phase != "Failed";
}

// A pod of the Job; the services pod has no index.
bool is_broker(const json& pod) {
  return !at_path(pod, {"metadata", "labels", api::kJobIndexLabel}).is_null();
}

std::int64_t& count_of(PodGroup& group, bool is_broker) {
  return is_broker ? group.brokers : group.others;
}

}  // namespace

PodTally::Place PodTally::add(const json& pod) {
  if (!holds_resources(pod)) return {};
  const json& spec = at_path(pod, {"spec"});
  // Comparing takes less time than writing the text.
  auto found = groups_.begin();
  if (found == groups_.end() || found->second.spec != spec) {
    found = groups_.try_emplace(dump(spec), PodGroup{.spec = spec}).first;
  }
  const Place place{&found->second, is_broker(pod)};
  ++count_of(*place.group, place.is_broker);
  return place;
}

void PodTally::remove(const Place& place) {
  if (place.group == nullptr) return;
  --count_of(*place.group, place.is_broker);
  if (place.group->brokers + place.group->others == 0) groups_.erase(dump(place.group->spec));
}

std::vector<PodGroup> PodTally::groups() const {
  std::vector<PodGroup> out;
  out.reserve(groups_.size());
  for (const auto& [text, group] : groups_) out.push_back(group);
  return out;
}

}  // namespace mc::controller::quota
