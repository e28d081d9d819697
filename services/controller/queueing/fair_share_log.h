#pragma once
#include <chrono>
#include <string>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "services/controller/queueing/fair_share.h"
#include "services/controller/queueing/held_config_map.h"

// What accounts have used, for the next leader. Its ConfigMap is in the controller's namespace.
namespace mc::controller::queueing {

inline constexpr const char* kFairShareLog = "minicluster-fair-share";

// The same as the data of a ConfigMap, and back. Uses of less than a millionth are left out. What
// is not ours, or was changed by hand so that it cannot be read, is ignored.
json uses_data(const Uses& uses);
Uses read_uses(const json& config_map);

// Only the last process to take it over can write (held_config_map.h). Not thread safe.
class FairShareLog {
 public:
  // `instance` is the name of the pod.
  FairShareLog(const kube::Client& client, const std::string& ns, const std::string& instance);

  // What was written last; nothing was used if there is no ConfigMap.
  [[nodiscard]] Result<Uses> take_over();
  // Sends nothing if nothing was used since the last write. After an error, the next write takes
  // the ConfigMap over again: by then a process that no longer leads has ended.
  [[nodiscard]] Result<void> write(const Uses& uses, std::chrono::seconds half_life);

 private:
  HeldConfigMap map_;
  Uses written_;
};

}  // namespace mc::controller::queueing
