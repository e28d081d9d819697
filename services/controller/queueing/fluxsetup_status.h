#pragma once
#include <cstddef>
#include <string>

#include "common/api/model/quantity.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "services/controller/queueing/limits.h"

// The status of FluxSetups. `now` is RFC 3339 in UTC.
namespace mc::controller::queueing {

// What the FluxSetup in force counts.
struct Counts {
  api::Amounts used;
  std::size_t admitted = 0, waiting = 0;
};

json status_in_force(const FluxSetup& setup, const Counts& counts, const std::string& now);
// A valid one that a newer one, `by`, has replaced.
json status_superseded(const FluxSetup& setup, const std::string& by, const std::string& now);
json status_invalid(const FluxSetup& setup, const std::string& now);

// The annotation kReplacedAnnotation of a FluxSetup, which was `before`, after it has replaced
// `old`: the name and the spec of each that it replaced, the last first. What is more than 64 KiB
// is left out.
std::string replaced_annotation(const std::string& before, const FluxSetup& old);

// Writes the status of FluxSetups, and deletes those that a newer one replaces.
class FluxSetupWriter {
 public:
  // The references must outlive this object.
  FluxSetupWriter(const kube::Client& client, const Clock& clock, const kube::EventSource& reporter)
      : client_(client), clock_(clock), reporter_(reporter) {}

  // First the others say that they are not in force, so that never two are at a time, then the one
  // in force says so; only then do those end that it replaces. `counts` are of the one in force.
  // Only what differs is written.
  [[nodiscard]] Result<void> write(const Setups& setups, const Counts& counts) const;

 private:
  // False: it is gone, or another has its name. The watch says so too.
  [[nodiscard]] Result<bool> write_status(const FluxSetup& setup, const json& status) const;
  // `replaced`: the annotation of `by` from now on, which has the spec of `old`, too.
  [[nodiscard]] Result<bool> keep_specs(const FluxSetup& by, const std::string& replaced) const;
  [[nodiscard]] Result<void> replace(const FluxSetup& by, const FluxSetup& old,
                                     const std::string& replaced) const;
  void tell(const FluxSetup& by, const std::string& old_name) const;

  const kube::Client client_;
  const Clock& clock_;
  const kube::EventSource reporter_;
};

}  // namespace mc::controller::queueing
