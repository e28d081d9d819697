#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/kubectl.h"

namespace mc::e2e {

// Asks the API server, twenty times a second and with nothing stored, to create a good MiniCluster
// and in turn a bad one, until it is destroyed.
class AdmissionLoad {
 public:
  explicit AdmissionLoad(const test::Kubectl& kubectl);

  struct Counts {
    int accepted = 0;                 // and defaulted by the webhook
    int refused = 0;                  // with the webhook's words
    std::vector<std::string> failed;  // anything else, as `seconds since the start: words`
  };
  Counts counts() const;

 private:
  void run(const std::stop_token& stop, const std::string& kubeconfig);

  mutable std::mutex mutex_;
  Counts counts_;
  std::jthread thread_;
};

}  // namespace mc::e2e
