#pragma once
#include <optional>

#include "tests/support/kubectl.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {

// Whether MINICLUSTER_KUEUE names the folder that tests/kueue/build.sh made.
bool has_kueue();

// Kueue itself on the stage's control plane: its API, its controller, and its webhooks for Jobs and
// for what is Kueue's own.
class KueueController {
 public:
  // Returns when it works. A failure of the test where it does not.
  explicit KueueController(const Kubectl& kubectl);
  // Takes it away as an administrator does, with all that is in its API.
  ~KueueController();
  KueueController(const KueueController&) = delete;
  KueueController& operator=(const KueueController&) = delete;

 private:
  json webhooks(const char* kind, bool validating) const;
  void start();
  void remove_objects() const;

  const Kubectl& kubectl_;
  const TemporaryFolder folder_;
  const int port_ = free_port();  // of the webhooks
  std::optional<Process> process_;
};

}  // namespace mc::test
