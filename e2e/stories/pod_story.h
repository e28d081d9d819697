#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/eventually.h"
#include "tests/support/kubectl.h"

// Stories of MiniClusters whose pods really run: cluster.sh is up, its node has the images of
// e2e/images, and the operator is installed (installation.cpp).
namespace mc::e2e {

using test::Outcome;

inline constexpr const char* kApplicationImage = "localhost/application:e2e";
inline constexpr const char* kFluxImage = "localhost/flux:e2e";
inline constexpr const char* kFluxViewImage = "localhost/flux-view:e2e";

// How Flux comes into the container.
enum class Flux { kByView, kInImage };

// A MiniCluster of `size` pods that runs `command`, with `spec` merged into its spec (RFC 7386).
json minicluster(const std::string& name, int size, const std::string& command,
                 const json& spec = json::object(), Flux flux = Flux::kByView);

// The only container's spec, to be changed.
json& container(json& cluster);

// Every story has a namespace of its own. In the end none of the secrets in it may be readable
// anywhere else in it.
class PodStory : public ::testing::Test {
 protected:
  void TearDown() override;

  void apply(const json& object) const { kubectl.must({"apply", "-f", "-"}, object.dump()); }

  // Waits for a condition of the MiniCluster's to be True; a failure of the test, with the objects
  // and the pods' logs, where it does not come.
  [[nodiscard]] bool reaches(const std::string& name, const std::string& condition,
                             std::chrono::seconds limit = std::chrono::seconds(60)) const;

  // The pod of an index that is not being deleted; null where there is none.
  json pod(const std::string& name, int index) const;
  std::string pod_name(const std::string& name, int index) const;

  // What the container of that pod has printed so far; the one that runs Flux where none is named.
  std::string log(const std::string& name, int index, const std::string& container = "") const;
  [[nodiscard]] bool log_has(const std::string& name, int index, const std::string& text) const;

  // Runs `script` by bash in the container that runs Flux.
  Outcome exec(const std::string& name, int index, const std::string& script) const;

  // Everything that explains a failure.
  std::string everything() const;

  test::Namespace namespace_{test::Kubectl::from_environment()};
  const test::Kubectl& kubectl = namespace_.kubectl();
};

}  // namespace mc::e2e
