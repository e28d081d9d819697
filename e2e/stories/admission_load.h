#pragma once
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/kubectl.h"

namespace mc::e2e {

// Until destroyed, sends the API server twenty dry-run creations per second, in turn of a valid and
// of an invalid MiniCluster.
class AdmissionLoad {
 public:
  explicit AdmissionLoad(const test::Kubectl& kubectl);

  struct Counts {
    int accepted = 0;                 // and defaulted by the webhook
    int refused = 0;                  // with the webhook's message
    std::vector<std::string> failed;  // anything else, as `seconds since the start: message`
  };
  Counts counts() const;

 private:
  void run(const std::stop_token& stop, const std::string& kubeconfig);

  mutable std::mutex mutex_;
  Counts counts_;
  std::jthread thread_;
};

}  // namespace mc::e2e
