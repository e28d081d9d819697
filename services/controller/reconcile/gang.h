#pragma once
#include <string>

#include "common/api/model/minicluster.h"
#include "services/controller/cluster/observed.h"

// Gang scheduling: which PodGroup the pods of a MiniCluster are in. Pure.
namespace mc::controller {

struct GangChoice {
  api::PodGroupChoice group{};
  std::string why_not{};  // the wish for one cannot be fulfilled: why, without a period
};

// A Job keeps what it was made with. Otherwise spec.gang decides, or else --gang, which leaves out
// Jobs of Kueue and of schedulers that are not known.
GangChoice gang_choice(const Observed& observed, const api::MiniCluster& cluster);

// The annotation of a new Job that records this; "" for none.
std::string pod_group_note(const GangChoice& choice);

}  // namespace mc::controller
