#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/eventually.h"
#include "tests/support/kubectl.h"
#include "tests/support/minicluster.h"
#include "tests/support/stage.h"

namespace mc::test {

// The value there, or `fallback`; also in null, which is what kubectl gives for what is not there.
template <class T>
T value_at(const json& object, const char* pointer, T fallback) {
  return object.is_object() ? object.value(json::json_pointer(pointer), fallback) : fallback;
}

// Waits for a condition; a failure of the test, with the object, where it does not come.
[[nodiscard]] bool has_condition(const Kubectl& kubectl, const std::string& name,
                                 const std::string& type, const std::string& status);

// What a MiniCluster owns, as `Kind/name`, sorted by that.
std::map<std::string, json> owned(const Kubectl& kubectl, const std::string& name);

// `Kind/name` -> resourceVersion of the MiniCluster and all it owns but its Job, whose status
// Kubernetes writes; of the Job the generation and its metadata without the version.
std::map<std::string, std::string> versions(const Kubectl& kubectl, const std::string& name);

// Applies another MiniCluster and waits until its objects are there: by then the controller has
// also been through what happened before.
void let_the_controller_pass(const Kubectl& kubectl);

// Every test has a namespace of its own.
class Story : public ::testing::Test {
 protected:
  void create(const json& object) { kubectl.must({"create", "-f", "-"}, object.dump()); }

  Namespace namespace_{Stage::get().kubectl()};
  const Kubectl& kubectl = namespace_.kubectl();
};

// Which services are there; see Stage.
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
