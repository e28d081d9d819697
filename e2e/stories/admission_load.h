#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/kubectl.h"

namespace mc::e2e {

// Until destroyed, sends the API server dry-run creations of a valid and of an invalid MiniCluster:
// both twice per second, or twenty times where a story asks for that. The API server would take
// half a core for twenty during the whole run.
class AdmissionLoad {
 public:
  explicit AdmissionLoad(const test::Kubectl& kubectl);

  struct Counts {
    int accepted = 0;                 // and defaulted by the webhook
    int refused = 0;                  // with the webhook's message
    std::vector<std::string> failed;  // anything else, as `seconds since the start: message`
  };
  Counts counts() const;

  // From half a second after its creation until its destruction, there are twenty.
  class Dense {
   public:
    explicit Dense(AdmissionLoad& load) : load_(load) { load_.dense_ = true; }
    ~Dense() { load_.dense_ = false; }
    Dense(const Dense&) = delete;
    Dense& operator=(const Dense&) = delete;

   private:
    AdmissionLoad& load_;
  };

  // Until its destruction, none is sent: for stories in which admissions have to fail.
  class Pause {
   public:
    explicit Pause(AdmissionLoad& load) : sending_(load.sending_) {}

   private:
    std::scoped_lock<std::mutex> sending_;
  };

 private:
  void run(const std::stop_token& stop, const std::string& kubeconfig);

  std::atomic<bool> dense_ = false;
  std::mutex sending_;  // held while two are sent
  mutable std::mutex mutex_;
  Counts counts_;
  std::jthread thread_;
};

}  // namespace mc::e2e
