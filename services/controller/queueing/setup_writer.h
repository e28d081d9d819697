#pragma once
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "services/controller/queueing/fluxsetup_status.h"

namespace mc::controller::queueing {

// Writes the status of FluxSetups, and deletes those that a newer one replaces.
class SetupWriter {
 public:
  // The references must outlive this object.
  SetupWriter(const kube::Client& client, const Clock& clock, const kube::EventSource& reporter)
      : client_(client), clock_(clock), reporter_(reporter) {}

  // First the one in force says so; only then do those end that it replaces. `counts` are of the
  // one in force. Only what differs is written.
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
