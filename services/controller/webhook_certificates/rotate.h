#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "certs/rotation.h"
#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/kube/client.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "common/kube/work_queue.h"
#include "common/observe/controller_metrics.h"
#include "common/observe/work_queue_metrics.h"
#include "services/controller/webhook_certificates/objects.h"

namespace mc::controller {

// Keeps the webhook's certificate and authority in two Secrets and the caBundle of both webhook
// configurations (certs/rotation.h says how they change). It watches all four, so what is deleted
// or damaged is mended at once; in between it sleeps until something is due. Two at a time do no
// harm: every write tests the resourceVersion.
class WebhookCertificates {
 public:
  // All references must outlive it, and it the registry's last text().
  WebhookCertificates(kube::Transport& transport, const Clock& clock, observe::Registry& registry,
                      WebhookCertificateOptions options);

  // Returns once stop is requested. Call it from one thread, once. Follows the four objects; passes
  // begin with lead().
  void run(const std::stop_token& stop);

  // From now on we write. Any thread, before run() or while it runs.
  void lead();

 private:
  struct Seen;
  struct Lives {
    std::optional<certs::Life> leaf, authority;  // none: we do not lead, or there is none yet
  };

  void show(observe::Registry& registry, const std::string& certificate,
            std::optional<certs::Life> Lives::* which);
  void follow(std::size_t which, const std::stop_token& stop);
  bool synced() const;
  Seen seen() const;
  // How long until something is due.
  [[nodiscard]] Result<std::chrono::milliseconds> pass();
  [[nodiscard]] Result<bool> write(const certs::Rotation& rotation, const Seen& seen);
  [[nodiscard]] Result<bool> write_secret(const std::optional<json>& secret);
  [[nodiscard]] Result<bool> write_bundle(std::size_t which, const kube::Object& now,
                                          const std::string& bundle);

  // Constant after construction.
  kube::Transport& transport_;
  const Clock& clock_;
  const kube::Client client_;
  const WebhookCertificateOptions options_;
  const certs::RotationPolicy policy_;

  // Of the thread in run().
  std::optional<certs::Trusted> trusted_;

  // Each provides its own synchronization.
  observe::ReconcileMetrics passes_;
  observe::WorkQueueMetrics queue_metrics_;
  Guarded<Lives> lives_;
  std::array<kube::Store, 4> stores_;
  kube::WorkQueue queue_;
  std::atomic<bool> leads_ = false;
};

}  // namespace mc::controller
