#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "services/controller/cache/observed.h"

namespace mc::controller {

struct Create {
  json object;
  // Without it nothing after it is of use: if it cannot be made, the rest waits.
  bool essential = true;
};

// A merge patch for one object of ours; its uid and version are tested, so that it never hits a
// namesake, or an object that is not as it was seen.
struct Patch {
  json target;  // kind and metadata of the object
  json body;
};

// What has to be written so that the world is as the MiniCluster says. Empty: nothing, and then no
// API call is made.
struct Plan {
  // In order: what a later one needs comes before it. The Secret with the curve certificate is in
  // it whenever there is no Job, as the controller cannot see Secrets; that it exists is fine. Not
  // with spec.flux.curveCertSecret.
  std::vector<Create> create;
  std::vector<Patch> patch;
  std::vector<json> remove;  // kind and metadata of each; its uid is tested
  // The MiniCluster is not new, and another operator may have made it: if it has a Job, nothing is
  // touched. The last of `create` is ours.
  bool look_first = false;
  // Without any other news there is something to do after this time (ttlSecondsAfterFinished).
  std::optional<std::chrono::seconds> requeue_after;

  bool empty() const { return create.empty() && patch.empty() && remove.empty(); }
};

using Now = std::chrono::system_clock::time_point;

// Pure. `certificate` makes a new curve certificate; it is called only when one is needed.
Plan plan(const Observed& observed, const api::Examination& examination, Now now,
          const std::function<std::string()>& certificate);

// True where spec.managedBy names another controller: nothing of it is ours to write, not even its
// status.
bool is_managed_by_other(const api::MiniCluster& cluster);

}  // namespace mc::controller
