#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "services/controller/queueing/held_config_map.h"
#include "services/controller/queueing/queue.h"

// What a leader decides is written here first: into a ConfigMap in the controller's namespace.
namespace mc::controller::queueing {

// What the admission log says.
struct LoggedAdmissions {
  std::vector<Entry> entries;  // those under way
  // The FluxSetup that was in force when the last write was made; "": none.
  std::string setup;
  std::optional<Promise> promise;
};

// The same as the data of a ConfigMap, and back. Data that is not ours, or was changed by hand so
// that it cannot be read, is ignored.
json entry_data(const Entry& entry);
LoggedAdmissions read_log(const json& config_map);

// The ConfigMap that keeps the admissions under way. Only the last process to take it over can
// admit anything (held_config_map.h). Not thread safe.
class AdmissionLog {
 public:
  // `instance` is the name of the pod. Another process in it has the same.
  AdmissionLog(const kube::Client& client, const std::string& ns, const std::string& instance);

  // Stops every earlier write that is under way, and returns the content. Creates no ConfigMap:
  // without one, the content is empty.
  [[nodiscard]] Result<LoggedAdmissions> take_over();

  // Adds and removes entries (by the uid of the Job), and records the promise and the FluxSetup in
  // force. Creates the ConfigMap if it does not exist. After an error, call take_over() before the
  // next write: the API server may have carried out this one.
  [[nodiscard]] Result<void> write(const Batch& batch, const std::string& setup);

 private:
  HeldConfigMap map_;
};

// Its name, which the versions before have, too.
inline constexpr const char* kAdmissionLog = "minicluster-workspace";
// Its annotations beside kHolder: LoggedAdmissions::setup and ::promise.
inline constexpr const char* kSetupInForce = "flux-framework.org/fluxsetup";
inline constexpr const char* kPromise = "flux-framework.org/promise";

}  // namespace mc::controller::queueing
