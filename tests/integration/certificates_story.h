#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/client.h"
#include "tests/integration/story.h"

namespace mc::test {

// Puts a Secret into a folder as a kubelet does, but at once: a new folder, then the link moved.
class Mount {
 public:
  Mount(const kube::Client& client, std::string ns, std::string secret,
        std::filesystem::path folder);
  ~Mount();
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  bool filled() const { return std::filesystem::exists(folder_ / "tls.crt"); }
  // How many different certificates it has shown.
  std::size_t leaves() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void follow(const std::stop_token& stop);
  void show(const json& secret);

  const kube::Client client_;
  const std::string ns_, secret_;
  const std::filesystem::path folder_;
  int count_ = 0;
  Guarded<std::set<std::string>> seen_;
  std::jthread thread_;
};

// A namespace with the webhook's Service, both configurations without a caBundle, the webhook and
// a controller that keeps its certificates.
class CertificatesStory : public Story {
 protected:
  static constexpr const char* kSecret = "webhook-certificate";
  static constexpr const char* kService = "minicluster-webhook";
  static constexpr std::chrono::seconds kSoon{5};

  static void SetUpTestSuite();
  // Everything ends well, and no key is in a log or an event.
  void TearDown() override;

  // The controller with these further arguments; the administrator's kubeconfig where none is
  // given.
  std::vector<std::string> command(const std::vector<std::string>& more,
                                   const std::filesystem::path& kubeconfig = {}) const;
  // The API server asks the webhook, of which it knows nothing yet.
  void configure();
  // The webhook with what the controller has made, until the API server trusts it.
  void serve();
  // All three.
  void start(const std::vector<std::string>& more = {},
             const std::filesystem::path& kubeconfig = {});

  // A dry run through the API server and both webhooks.
  Result<json> admitted() const;
  std::string bundle(const std::string& kind) const;
  json secret(const std::string& name) const { return kubectl.get({"secret", name}); }
  void damage(const std::string& kind, const std::string& name, const std::string& patch) const;
  // All four objects are as they should be, and an admission succeeds.
  bool whole() const;

  const std::string authority = std::string(kSecret) + "-ca";
  const std::string ns = kubectl.namespace_name();
  const int port = free_port();
  const std::unique_ptr<kube::Transport> transport;
  const kube::Client client{*transport};
  std::optional<Service> controller, webhook;
  std::optional<Mount> mount;

  CertificatesStory();
};

// The bytes of a value in base64; "" where there is none.
std::string decoded_at(const json& object, const std::string& pointer);

}  // namespace mc::test
