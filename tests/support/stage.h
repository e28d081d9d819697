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

// The cluster of the integration tests: the control plane of tests/run.sh with the CRD, and both
// services, with or without the webhook's configurations. Services are started on first use and
// shared by the tests. When one is stopped, it must exit cleanly.
class Stage {
 public:
  // The program's only stage.
  static Stage& get();

  // The webhook serves and the API server calls it / calls no webhook. Return once that is so.
  void with_webhook();
  void without_webhook();

  void with_controller();
  void without_controller();
  void without_services();  // the controller and the webhook
  // Replaces the controller process by a new one, with these credentials and arguments. Returns
  // once it is ready.
  void restart_controller(const std::filesystem::path& kubeconfig,
                          const std::vector<std::string>& arguments = {"-v", "1"});
  // The log of the current controller.
  std::string controller_log() const { return controller_ ? controller_->log() : ""; }
  void signal_controller(int number) { controller_->signal(number); }
  // Its /metrics, as text; "" if there is no controller or no answer.
  std::string controller_metrics() const;

  // Waits until `user` (as for `--as`) may create objects in that namespace that a MiniCluster
  // owns. The API server requires permission on the owner's finalizers; it looks up new kinds for
  // that only twice a minute, and until then refuses everyone except administrators.
  void wait_until_owning(const std::string& user, const Kubectl& there) const;

  const Kubectl& kubectl() const { return kubectl_; }

 private:
  Stage();

  void start_controller(const std::filesystem::path& kubeconfig,
                        const std::vector<std::string>& arguments);
  std::filesystem::path certificates();
  bool webhook_is_asked() const;

  Kubectl kubectl_;
  std::optional<Service> webhook_, controller_;
  std::string configurations_;  // the installed configurations; "": none
};

// Ends the stage at the end of the program. Only programs with stories register one.
class EndOfStage : public ::testing::Environment {
 public:
  void TearDown() override { Stage::get().without_services(); }
};

std::string webhook_program();
std::string controller_program();
std::string plugin_program();

// The text of a file; a failure of the test if it cannot be read.
std::string read_file(const std::filesystem::path& file);

// Every .yaml file of a folder, sorted.
std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder);

}  // namespace mc::test
