#pragma once
#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/client.h"

namespace mc::controller::queueing {

// The holder of a ConfigMap: who took it over last.
inline constexpr const char* kHolder = "flux-framework.org/holder";

// A ConfigMap that one process at a time writes. A write fails with Conflict if anybody else has
// written since this process took it over, so of two processes that both believe that they lead,
// only the last to take over can write. Not thread safe.
class HeldConfigMap {
 public:
  // `instance` is the name of the pod. Another process in it has the same.
  HeldConfigMap(const kube::Client& client, std::string ns, std::string name, std::string instance);

  // Writes a new holder into the ConfigMap, so that every earlier write that is under way fails,
  // also one of this process, and returns it as it was. Creates none: without one, null.
  [[nodiscard]] Result<json> take_over();

  // Merges `body` into the ConfigMap, or creates it with that. After an error, call take_over()
  // before the next write: the API server may have carried out this one.
  [[nodiscard]] Result<void> write(json body);
  bool is_held() const { return version_.has_value(); }  // taken over, and no error since

 private:
  [[nodiscard]] Result<void> keep(Result<json> written);

  const kube::Client client_;
  const std::string ns_, name_, instance_;
  std::string holder_;  // the instance, with a suffix of the last take_over()
  // The resourceVersion that the next write expects; "": there is no ConfigMap. Nothing: unknown.
  std::optional<std::string> version_;
};

}  // namespace mc::controller::queueing
