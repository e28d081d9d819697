#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/nodes.h"
#include "tests/integration/story.h"

namespace mc::test {

// The lines of a text, without their ends.
std::vector<std::string> lines(const std::string& text);

// Stories on a stage with two nodes: pods run, and end when a story says so.
class OnNodes : public Story {
 protected:
  // A controller of the suite's own, and nothing left of earlier stories: what it counts is of
  // these, and only their pods are scheduled.
  static void SetUpTestSuite();
  static void TearDownTestSuite() { nodes_.reset(); }

  void wait(const std::string& name, const std::string& condition);

  // Waits until so many MiniClusters of the namespace have the condition.
  [[nodiscard]] bool have(const std::string& condition, int count);

  // Created, and waited for until it is Ready.
  void make(const std::string& name, const json& spec = json::object());

  // The pods that run and are not being deleted: completion index -> uid.
  std::map<int, std::string> running(const std::string& name);

  // Waits until as many pods run, which are then those of the indexes from 0 on; a failure of the
  // test where they do not.
  [[nodiscard]] bool run(const std::string& name, int count,
                         std::chrono::seconds limit = std::chrono::seconds(30));

  // The name of the pod of index 0 that runs.
  std::string lead(const std::string& name);
  // The lead's command ends with this code.
  void end_lead(const std::string& name, int code);
  // As a drained node or a scheduler that needs the room does it.
  void evict(const std::string& pod);

  void scale(const std::string& name, int size);
  void suspend(const std::string& name, bool value);
  json status(const std::string& name) { return kubectl.get({"minicluster", name})["status"]; }

  // The path of the namespace's MiniClusters, and what is below: "", "/x", "/x/scale".
  std::string raw(const std::string& below);

  // Made and deleted over one connection with `reads` requests between the two: a process of
  // kubectl's for each would come after all is done.
  void make_and_delete(const std::string& name, int reads, const std::string& propagation);

  // The namespace's objects, without those that every namespace has.
  std::vector<std::string> left();

  // What the controller has counted (tests/support/metrics.h).
  static double counted(const std::string& family, const std::string& label = "");
  static double calls() { return counted("rest_client_requests_total"); }
  static double passes() { return counted("controller_runtime_reconcile_total"); }

  static std::unique_ptr<Nodes> nodes_;

 private:
  void add_request(std::vector<std::string>& command, const std::string& method,
                   const std::string& url, const std::string& body);
};

}  // namespace mc::test
