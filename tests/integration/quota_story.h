#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "common/kube/client.h"
#include "common/kube/transport.h"
#include "tests/integration/nodes_story.h"

namespace mc::test {

// The number of pods that exist and have not ended, in one namespace, sampled all the time from the
// API server.
class PodCount {
 public:
  explicit PodCount(const Kubectl& kubectl);

  int most() const { return most_; }
  int samples() const { return samples_; }
  int now() const;

 private:
  const std::unique_ptr<kube::Transport> transport_;
  const kube::Client client_{*transport_};
  const std::string ns_;
  std::atomic<int> most_ = 0, samples_ = 0;
  std::jthread thread_;
};

// Stories with a FluxSetup in force. Each writes its own, which replaces that of the story before.
class QuotaStory : public OnNodes {
 protected:
  static void SetUpTestSuite();
  // Without a FluxSetup, and without the memory that there was one.
  static void TearDownTestSuite();
  // Ends everything that counts.
  void TearDown() override;

  // Creates a FluxSetup with this spec and waits until it is in force. Returns its name.
  std::string limit(const json& spec);
  static json setup(const std::string& name, const json& spec);
  // The status `True Reason` of a condition of a FluxSetup; "" if there is none.
  std::string setup_says(const std::string& name, const std::string& type);

  // A MiniCluster of `size` pods that request one CPU each.
  void submit(const std::string& name, int size, const json& spec = json::object());

  // Waits for that phase. Otherwise the test fails.
  void is(const std::string& name, const std::string& phase,
          std::chrono::seconds limit = std::chrono::seconds(30));
  // Waits until QuotaReserved has that status and reason, and returns the message.
  std::string quota_says(const std::string& name, const std::string& status_and_reason);

  // The names of those in that phase.
  std::vector<std::string> in_phase(const std::string& phase);

 private:
  static int setups_;
};

}  // namespace mc::test
