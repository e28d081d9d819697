#pragma once
#include <functional>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "services/controller/observed.h"

namespace mc::controller {

struct Create {
  json object;
  // Without it nothing after it is of use: if it cannot be made, the rest waits.
  bool essential = true;
};

// A merge patch for one object of ours; its uid is tested, so that a namesake is never hit.
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

  bool empty() const { return create.empty() && patch.empty(); }
};

// Pure. `certificate` makes a new curve certificate; it is called only when one is needed.
Plan plan(const Observed& observed, const api::Examination& examination,
          const std::function<std::string()>& certificate);

// True once the MiniCluster is Succeeded or Failed, by its Job or by its own status: nothing is
// created or changed for it then. The phase is the one thing that is ever read back from status,
// since the Job may be gone by then.
bool is_finished(const Observed& observed);

// True where the Job has that condition ("Complete", "Failed", "Suspended") with status True.
bool has_condition(const json* job, std::string_view type);

}  // namespace mc::controller
