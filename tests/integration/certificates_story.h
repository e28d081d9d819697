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

// Mirrors a Secret into a folder as a kubelet does, but without delay: writes a new folder, then
// moves the symlink.
class Mount {
 public:
  Mount(const kube::Client& client, std::string ns, std::string secret,
        std::filesystem::path folder);
  ~Mount();
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  bool filled() const { return std::filesystem::exists(folder_ / "tls.crt"); }
  // The number of different certificates seen so far.
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

// A namespace with the webhook's Service, both configurations without a caBundle, the webhook, and
// a controller that manages its certificates.
class CertificatesStory : public Story {
 protected:
  static constexpr const char* kSecret = "webhook-certificate";
  static constexpr const char* kService = "minicluster-webhook";
  static constexpr std::chrono::seconds kSoon{5};

  static void SetUpTestSuite();
  // Expects clean exits, and no key in any log or event.
  void TearDown() override;

  // The controller's command with these additional arguments. Default: the administrator's
  // kubeconfig.
  std::vector<std::string> command(const std::vector<std::string>& more,
                                   const std::filesystem::path& kubeconfig = {}) const;
  // Creates the configurations, so that the API server calls the webhook, without trusting it yet.
  void configure();
  // Starts the webhook with the controller's certificates, and waits until the API server trusts
  // it.
  void serve();
  // configure(), the controller, and serve().
  void start(const std::vector<std::string>& more = {},
             const std::filesystem::path& kubeconfig = {});

  // A dry-run creation through the API server and both webhooks.
  Result<json> admitted() const;
  std::string bundle(const std::string& kind) const;
  json secret(const std::string& name) const { return kubectl.get({"secret", name}); }
  void damage(const std::string& kind, const std::string& name, const std::string& patch) const;
  // Whether all four objects are correct and an admission succeeds.
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

// The decoded base64 value; "" if there is none.
std::string decoded_at(const json& object, const std::string& pointer);

}  // namespace mc::test
