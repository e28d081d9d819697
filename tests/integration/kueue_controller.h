#pragma once
#include <optional>

#include "tests/support/kubectl.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {

// Whether MINICLUSTER_KUEUE is set, to the folder that tests/kueue/build.sh made.
bool has_kueue();

// The real Kueue on the stage's control plane: its API, its controller, and its webhooks for Jobs
// and for Kueue's own objects.
class KueueController {
 public:
  // Returns once Kueue works. Otherwise the test fails.
  explicit KueueController(const Kubectl& kubectl);
  // Uninstalls Kueue as an administrator does, with all objects of its API.
  ~KueueController();
  KueueController(const KueueController&) = delete;
  KueueController& operator=(const KueueController&) = delete;

  // What Kueue has logged.
  std::string log() const { return process_->err(); }

 private:
  json webhooks(const char* kind, bool validating) const;
  void install_crds() const;
  void start();
  void remove_objects() const;

  const Kubectl& kubectl_;
  const TemporaryFolder folder_;
  const int port_ = free_port();  // of Kueue's webhooks
  std::optional<Process> process_;
};

}  // namespace mc::test
