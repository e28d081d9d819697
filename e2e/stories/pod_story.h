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

// Before a line of shell in the container that runs Flux: finds it, wherever it comes from.
inline constexpr const char* kEnvironment = ". /mnt/flux/flux-view.sh; ";

// `lines` as the words of a command that is a program of sh. Without single quotes in it.
std::string sh(const std::string& lines);

// Every story has a namespace of its own, or that of its suite, where stories share the time that
// their pods need. In the end none of the secrets in it may be readable anywhere else in it.
class PodStory : public ::testing::Test {
 protected:
  PodStory();
  explicit PodStory(const test::Namespace& shared);
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

  // `CommandFailed: what is said`, of a condition with any status; empty where there is none.
  std::string reason(const std::string& name, const std::string& type) const;

  // Waits until the pods are there no more; a failure of the test where they still are.
  [[nodiscard]] bool gone(const std::vector<std::string>& pods,
                          std::chrono::seconds limit = std::chrono::seconds(40)) const;

  // The same for what the lead's broker is asked: `flux` there is that of the instance.
  Outcome ask_flux(const std::string& name, const std::string& script) const;

  // Asked until the answer has `text`: a pod is ready some seconds before its broker takes jobs.
  // The answer, with a failure of the test where it never had.
  std::string flux_answers(const std::string& name, const std::string& script,
                           const std::string& text) const;

  // Asks the API server to evict a pod, as a drain does.
  void evict(const std::string& pod) const;

  // Everything that explains a failure.
  std::string everything() const;

 private:
  std::optional<test::Namespace> own_;

 protected:
  const test::Kubectl& kubectl;
};

// A folder of the node's own for volumes, and of this process too; removed in the end.
class NodeFolder {
 public:
  explicit NodeFolder(const std::string& name);
  ~NodeFolder();
  NodeFolder(const NodeFolder&) = delete;
  NodeFolder& operator=(const NodeFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // A volume of a container's, mounted at `where`.
  json volume(const std::string& where) const;

 private:
  std::filesystem::path path_;
};

// A namespace that the stories of a suite share, in the end of which no secret may be readable in
// it.
class SharedNamespace : public test::Namespace {
 public:
  SharedNamespace() : Namespace(test::Kubectl::from_environment()) {}
  ~SharedNamespace();
};

// Seconds since it was made.
class StopWatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace mc::e2e
