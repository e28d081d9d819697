#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/eventually.h"
#include "tests/support/kubectl.h"
#include "tests/support/stopwatch.h"
#include "tests/support/temporary_folder.h"

// Stories of MiniClusters whose pods really run: the cluster of cluster.sh is up, its node has the
// images of e2e/images, and the operator is installed (installation.cpp).
namespace mc::e2e {

using test::Outcome;

inline constexpr const char* kApplicationImage = "localhost/application:e2e";
inline constexpr const char* kFluxImage = "localhost/flux:e2e";
inline constexpr const char* kFluxViewImage = "localhost/flux-view:e2e";

// Where the container's Flux comes from.
enum class Flux { kByView, kInImage };

// Of a suite whose parameter is where Flux comes from.
inline const auto kBothFluxes = ::testing::Values(Flux::kByView, Flux::kInImage);
std::string name_of(const ::testing::TestParamInfo<Flux>& instance);

// A MiniCluster of `size` pods that runs `command`, with `spec` merged into its spec (RFC 7386).
json minicluster(const std::string& name, int size, const std::string& command,
                 const json& spec = json::object(), Flux flux = Flux::kByView);

// The spec of the only container, for changes.
json& container(json& cluster);

// A script that kills the broker of its pod, and so ends the container.
inline constexpr const char* kKillBroker = R"(
  for p in /proc/[0-9]*; do
    case $(cat $p/comm 2>/dev/null) in flux-broker*) kill -9 ${p#/proc/} ;; esac
  done)";

// A command that runs `lines` with sh. `lines` must not contain single quotes.
std::string sh(const std::string& lines);

// The script of each task of a MiniCluster that loses something, with a folder /marks: the first
// run waits to be lost, the second one succeeds.
std::string lost_once(const std::string& name);

class NodeFolder;
// Waits until both of its tasks wait to be lost; `marks` is their /marks.
[[nodiscard]] bool wait_to_be_lost(const std::string& name, const NodeFolder& marks);

// Every story has its own namespace, or shares its suite's to save the time that pods need to
// start. At the end, no secret of the namespace may be readable anywhere else in it.
class PodStory : public ::testing::Test {
 protected:
  PodStory();
  explicit PodStory(const test::Namespace& shared);
  void TearDown() override;

  void apply(const json& object) const { kubectl.must({"apply", "-f", "-"}, object.dump()); }

  // Waits until a condition of the MiniCluster is True. Otherwise the test fails, with the objects
  // and the pods' logs.
  [[nodiscard]] bool reaches(const std::string& name, const std::string& condition,
                             std::chrono::seconds limit = std::chrono::seconds(60)) const;

  // Waits until the pod has succeeded. Otherwise the test fails, as for reaches().
  [[nodiscard]] bool succeeds(const std::string& pod, std::chrono::seconds limit) const;

  // The pod with that index that is not being deleted; null if there is none.
  json pod(const std::string& name, int index) const;
  std::string pod_name(const std::string& name, int index) const;

  // What the container of that pod has printed so far. Default: the container that runs Flux.
  std::string log(const std::string& name, int index, const std::string& container = "") const;
  [[nodiscard]] bool log_has(const std::string& name, int index, const std::string& text) const;

  // Runs `script` with bash in the container that runs Flux.
  Outcome exec(const std::string& name, int index, const std::string& script) const;

  // `Reason: message` of a condition with any status; empty if there is none.
  std::string reason(const std::string& name, const std::string& type) const;

  // Waits until that is the reason of the condition Ready. Otherwise the test fails. Returns what
  // reason() says.
  std::string ready_becomes(const std::string& name, const std::string& reason,
                            std::chrono::seconds limit) const;

  // Waits until the pods no longer exist. Otherwise the test fails.
  [[nodiscard]] bool gone(const std::vector<std::string>& pods,
                          std::chrono::seconds limit = std::chrono::seconds(40)) const;

  // Runs `script` on the lead, where `flux` talks to the instance.
  Outcome ask_flux(const std::string& name, const std::string& script) const;

  // What it prints, without the spaces around it.
  std::string answer(const std::string& name, const std::string& script) const;

  // Repeats ask_flux() until the answer contains `text`: a pod is ready some seconds before its
  // broker accepts jobs. Returns the last answer; the test fails if it never contained `text`.
  std::string flux_answers(const std::string& name, const std::string& script,
                           const std::string& text) const;

  // Everything that explains a failure.
  std::string everything() const;

 private:
  bool waits_for(const std::string& object, const std::string& what,
                 std::chrono::seconds limit) const;

  std::optional<test::Namespace> own_;

 protected:
  const test::Kubectl& kubectl;
};

// A folder for volumes that the node and this process share; removed at the end.
class NodeFolder : public test::TemporaryFolder {
 public:
  NodeFolder();
  // A container volume, mounted at `where`.
  json volume(const std::string& where) const;
};

// A namespace that the stories of a suite share. At its end, no secret may be readable in it.
class SharedNamespace : public test::Namespace {
 public:
  SharedNamespace() : Namespace(test::Kubectl::from_environment()) {}
  ~SharedNamespace();
};

}  // namespace mc::e2e
