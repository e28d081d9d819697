#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/folders.h"
#include "tests/support/kubectl.h"
#include "tests/support/service.h"

namespace mc::test {

// The cluster that integration tests play on: the control plane of tests/run.sh with the CRD, and
// both services, the webhook's configurations installed or not. Services are started when first
// asked for and shared by the tests; end() stops them and asserts that they end well.
class Stage {
 public:
  // The one stage of the program.
  static Stage& get();

  // The webhook serves and the API server asks it / asks nobody. Return when that is so.
  void with_webhook();
  void without_webhook();

  void with_controller();
  void without_controller();
  // A new controller process on the same cluster, ready, with these credentials and arguments.
  void restart_controller(const std::filesystem::path& kubeconfig,
                          const std::vector<std::string>& arguments = {"-v", "1"});
  // What the controller of now has logged.
  std::string controller_log() const { return controller_ ? controller_->log() : ""; }
  // Its /metrics, as text; "" where there is no controller or no answer.
  std::string controller_metrics() const;

  // Waits until `user` (as `--as` names it) may make objects in that namespace which a MiniCluster
  // owns. The API server asks for the right to the owner's finalizers, looks a new kind up twice a
  // minute for that, and until then refuses all but administrators.
  void wait_until_owning(const std::string& user, const Kubectl& there) const;

  void end();

  const Kubectl& kubectl() const { return kubectl_; }

 private:
  Stage();

  void start_controller(const std::filesystem::path& kubeconfig,
                        const std::vector<std::string>& arguments);
  std::filesystem::path certificates();
  bool webhook_is_asked() const;

  Kubectl kubectl_;
  std::optional<Service> webhook_, controller_;
  std::string configurations_;  // what is installed; "" for nothing
};

// Leaves the stage at the end of the program, and asserts that the services end well. A program of
// stories registers one; others that link this have no stage.
class EndOfStage : public ::testing::Environment {
 public:
  void TearDown() override { Stage::get().end(); }
};

std::string webhook_program();
std::string controller_program();

// The text of a file; a failure of the test if it cannot be read.
std::string read_file(const std::filesystem::path& file);

// Every .yaml file of a folder, sorted.
std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder);

}  // namespace mc::test
