#pragma once
#include <optional>
#include <string>

#include "common/api/validation/limits.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/observe/metrics.h"
#include "services/controller/queueing/side_write.h"

namespace mc::controller::queueing {

inline constexpr const char* kLimits = "minicluster-limits";

// Publishes the limits in force for the webhook, which mounts this ConfigMap (kLimits) and may read
// nothing else. Not thread safe.
class LimitsPublisher {
 public:
  // `ns`: of the ConfigMap. Failures are added to `errors`. The clock must outlive this object.
  LimitsPublisher(const kube::Client& client, const Clock& clock, std::string ns,
                  observe::Counter errors);

  // What is in force. Nothing is published before the first call.
  void want(const api::PublishedLimits& limits);
  // Writes what is wanted if it has changed. A write that fails is repeated once it is due again.
  void publish();
  // When that is.
  std::optional<SideWrite::Time> next() const { return write_.next(); }

  // Publishes at once that there are no limits. After an error, the limits of want() stay in force.
  [[nodiscard]] Result<void> withdraw();

 private:
  [[nodiscard]] Result<void> send(const std::optional<api::PublishedLimits>& limits) const;

  const kube::Client client_;
  const std::string ns_;
  SideWrite write_;
  std::optional<api::PublishedLimits> wanted_;
};

}  // namespace mc::controller::queueing
