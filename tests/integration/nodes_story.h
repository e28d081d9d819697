#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/nodes.h"
#include "tests/integration/story.h"

namespace mc::test {

// Stories on a stage with two nodes: pods run, and end when the story ends them.
class OnNodes : public Story {
 protected:
  // A new controller for the suite, and no objects of earlier stories: its metrics count only this
  // suite, and only this suite's pods are scheduled.
  static void SetUpTestSuite();
  static void TearDownTestSuite() { nodes_.reset(); }

  void wait(const std::string& name, const std::string& condition);

  // Waits until `count` MiniClusters of the namespace have the condition.
  [[nodiscard]] bool have(const std::string& condition, int count);

  // Creates a MiniCluster and waits until it is Ready.
  void make(const std::string& name, const json& spec = json::object());

  // The running pods that are not being deleted: completion index -> UID.
  std::map<int, std::string> running(const std::string& name);

  // Waits until `count` pods run, which must be those with the indexes from 0. Otherwise the test
  // fails.
  [[nodiscard]] bool run(const std::string& name, int count,
                         std::chrono::seconds limit = std::chrono::seconds(30));

  // The name of the running pod with index 0.
  std::string lead(const std::string& name);
  // The lead's command ends with this code.
  void end_lead(const std::string& name, int code);

  void scale(const std::string& name, int size);
  void suspend(const std::string& name, bool value);
  json status(const std::string& name) { return kubectl.get({"minicluster", name})["status"]; }

  // The API path of the namespace's MiniClusters, with `below` appended: "", "/x", "/x/scale".
  std::string raw(const std::string& below);

  // Creates and deletes a MiniCluster over one connection, with `reads` requests in between. One
  // kubectl process per request would be too slow.
  void make_and_delete(const std::string& name, int reads, const std::string& propagation);

  // The namespace's objects, except those that every namespace has.
  std::vector<std::string> left();

  // A counter of the controller (tests/support/metrics.h).
  static double counted(const std::string& family, const std::string& label = "");
  static double calls() { return counted("rest_client_requests_total"); }
  static double reconciles() { return counted("controller_runtime_reconcile_total"); }

  static std::unique_ptr<Nodes> nodes_;

 private:
  void add_request(std::vector<std::string>& command, const std::string& method,
                   const std::string& url, const std::string& body);
};

}  // namespace mc::test
