#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "certs/rotation.h"
#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/base/log_line.h"
#include "common/kube/client.h"
#include "common/kube/store.h"
#include "common/kube/transport.h"
#include "common/kube/work_queue.h"
#include "common/kube/work_queue_metrics.h"
#include "common/observe/reconcile_metrics.h"
#include "services/controller/webhook_certificates/objects.h"

namespace mc::controller {

// Maintains the webhook's certificate and CA in two Secrets and the caBundle of both webhook
// configurations (certs/rotation.h has the steps). It watches all four objects, so that one that is
// deleted or damaged is repaired at once; otherwise it sleeps until a step is due. Two replicas at
// a time do no harm: every write tests the resourceVersion.
class WebhookCertificates {
 public:
  // All references must outlive this object, and it must outlive the registry's last text().
  WebhookCertificates(kube::Transport& transport, const Clock& clock, observe::Registry& registry,
                      WebhookCertificateOptions options);

  // Watches the four objects; reconciles begin with lead(). Returns once stop is requested. Call it
  // once, from one thread.
  void run(const std::stop_token& stop);

  // Starts the writes. Thread-safe; may be called before or during run().
  void lead();

  // What its caches and its work queue have, without a value of a Secret. Thread-safe.
  std::vector<LogLine> dump() const;

 private:
  // One of the four objects.
  struct Watched {
    kube::Resource resource;
    std::string ns;  // empty: the resource has no namespaces
    std::string name;
    kube::Store<json> store{};
  };
  struct Seen;
  struct Times {
    std::optional<certs::CertificateTimes> leaf,
        authority;  // nothing: this process does not lead, or it has none yet
  };

  void export_times(observe::Registry& registry, const std::string& certificate,
                    std::optional<certs::CertificateTimes> Times::* which);
  static kube::Scope scope_of(const Watched& watched);
  void follow(Watched& watched, const std::stop_token& stop);
  bool synced() const;
  Seen seen() const;
  // Time until the next step is due.
  [[nodiscard]] Result<std::chrono::milliseconds> reconcile();
  [[nodiscard]] Result<bool> write(const certs::Rotation& rotation, const Seen& seen);
  [[nodiscard]] Result<bool> write_secret(Watched& watched, const std::optional<json>& secret);
  [[nodiscard]] Result<bool> write_bundle(Watched& watched, const kube::Object& now,
                                          const std::string& bundle);

  // Constant after construction.
  kube::Transport& transport_;
  const Clock& clock_;
  const kube::Client client_;
  const WebhookCertificateOptions options_;
  const certs::RotationPolicy policy_;

  // Used only by the thread in run().
  std::optional<certs::Trusted> trusted_;

  // Each provides its own synchronization.
  observe::ReconcileMetrics reconciles_;
  kube::WorkQueueMetrics queue_metrics_;
  Guarded<Times> times_;
  std::array<Watched, 4> watched_;
  kube::WorkQueue queue_;
  std::atomic<bool> leads_ = false;
};

}  // namespace mc::controller
