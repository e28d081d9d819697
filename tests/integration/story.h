#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/base/json.h"
#include "tests/support/eventually.h"
#include "tests/support/kubectl.h"
#include "tests/support/minicluster.h"
#include "tests/support/stage.h"

namespace mc::test {

// The value at `pointer`, or `fallback`, also if `object` is null, as kubectl.get() returns for an
// object that does not exist.
template <class T>
T value_at(const json& object, const char* pointer, T fallback) {
  return object.is_object() ? object.value(json::json_pointer(pointer), fallback) : fallback;
}

// Waits for a condition. Otherwise the test fails and shows the object.
[[nodiscard]] bool has_condition(const Kubectl& kubectl, const std::string& name,
                                 const std::string& type, const std::string& status);

// Whether no controller has written its status: the CRD's default is there.
bool is_untouched(const json& minicluster);

// The objects that a MiniCluster owns, by `Kind/name`.
std::map<std::string, json> owned(const Kubectl& kubectl, const std::string& name);

// Whether it has its ConfigMap, or waits without one.
bool has_scripts(const Kubectl& kubectl, const std::string& name);

// `Kind/name` -> resourceVersion of the MiniCluster and the objects it owns. For the Job, whose
// status Kubernetes writes: the generation and the metadata without resourceVersion.
std::map<std::string, std::string> versions(const Kubectl& kubectl, const std::string& name);

// Creates another MiniCluster and waits for its objects: by then the controller has also handled
// all earlier changes.
void let_the_controller_catch_up(const Kubectl& kubectl);

// Every test has its own namespace.
class Story : public ::testing::Test {
 protected:
  void create(const json& object) { kubectl.must({"create", "-f", "-"}, object.dump()); }

  // Create a MiniCluster and wait for its objects. The ConfigMap is created right after the status
  // has recorded the Job. A suspended Job has none yet.
  void make_object(const json& object) {
    create(object);
    const std::string name = object["metadata"]["name"];
    ASSERT_TRUE(has_condition(kubectl, name, "ObjectsReady", "True"));
    ASSERT_TRUE(eventually([&] { return has_scripts(kubectl, name); })) << name;
  }
  void make(const std::string& name, const json& spec = json::object()) {
    make_object(minicluster(name, spec));
  }

  // Waits until the condition Ready of a MiniCluster has this reason. Otherwise the test fails.
  void until_ready_is(const std::string& name, const std::string& reason) {
    EXPECT_TRUE(eventually([&] {
      const json list = value_at(kubectl.get({"minicluster", name}), "/status/conditions", json());
      for (const json& entry : list) {
        if (entry["type"] == "Ready" && entry["reason"] == reason) return true;
      }
      return false;
    })) << name
        << " is not " << reason;
  }

  // Waits until there is an event of that object with this reason. Otherwise the test fails.
  void until_told(const std::string& name, const std::string& reason) {
    EXPECT_TRUE(eventually([&] {
      return !kubectl
                  .items({"events", "--field-selector",
                          "involvedObject.name=" + name + ",reason=" + reason})
                  .empty();
    })) << name
        << " has no event " << reason;
  }

  Namespace namespace_{Stage::get().kubectl()};
  const Kubectl& kubectl = namespace_.kubectl();
};

// Stories by the services that run; see Stage.
class WebhookStory : public Story {
 protected:
  static void SetUpTestSuite() {
    Stage::get().without_controller();
    Stage::get().with_webhook();
  }
};

class ClusterStory : public Story {
 protected:
  static void SetUpTestSuite() {
    Stage::get().with_webhook();
    Stage::get().with_controller();
  }
};

class ControllerAloneStory : public Story {
 protected:
  static void SetUpTestSuite() {
    Stage::get().without_webhook();
    Stage::get().with_controller();
  }
};

}  // namespace mc::test
