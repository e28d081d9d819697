#include "services/controller/webhook_certificates/rotate.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "certs/certificate_metrics.h"
#include "common/base/clock.h"
#include "common/kube/dump.h"
#include "common/kube/informer.h"
#include "common/kube/reconcile_handler.h"
#include "common/observe/log.h"

namespace mc::controller {
namespace {

using std::chrono::milliseconds;

constexpr kube::Resource kMutating{"admissionregistration.k8s.io", "v1",
                                   "mutatingwebhookconfigurations", "MutatingWebhookConfiguration",
                                   false};
constexpr kube::Resource kValidating{"admissionregistration.k8s.io", "v1",
                                     "validatingwebhookconfigurations",
                                     "ValidatingWebhookConfiguration", false};

// The order of watched_.
enum Which : std::size_t { kLeafSecret, kAuthoritySecret, kMutatingOne, kValidatingOne };

constexpr const char* kCertificateController =
    "webhookcertificate";  // of the controller, in metrics

const std::string kKey = "webhook";  // the only key of the queue
// Limits a sleep, because a machine that was suspended has slept through its timer. Waking up sends
// no request.
constexpr milliseconds kLongestSleep = std::chrono::hours(1);

// A deleted object must be restored within seconds, also after an outage of the API server.
constexpr BackoffPolicy kRotateBackoff{milliseconds(50), std::chrono::seconds(5)};

void tell(const kube::FailedReconcile& failed) {
  log::warning(
      "Failed to keep the webhook's certificates, trying again",
      {{"error", failed.error.message}, {"milliseconds", std::to_string(failed.delay.count())}});
}

const json& value_of(const kube::Object& object) {
  static const json kNone;
  return object ? *object : kNone;
}

}  // namespace

struct WebhookCertificates::Seen {
  std::array<kube::Object, 4> objects;  // null: there is none
};

WebhookCertificates::WebhookCertificates(kube::Transport& transport, const Clock& clock,
                                         observe::Registry& registry,
                                         WebhookCertificateOptions options)
    : transport_(transport),
      clock_(clock),
      client_(transport),
      options_(std::move(options)),
      policy_(rotation_policy(options_)),
      reconciles_(registry, kCertificateController, 1),
      queue_metrics_(registry, kCertificateController),
      watched_{{{kube::kSecrets, options_.ns, options_.secret},
                {kube::kSecrets, options_.ns, authority_secret_name(options_.secret)},
                {kMutating, "", options_.configuration},
                {kValidating, "", options_.configuration}}},
      queue_(clock, kRotateBackoff, &queue_metrics_) {
  export_times(registry, "leaf", &Times::leaf);
  export_times(registry, "authority", &Times::authority);
}

void WebhookCertificates::export_times(observe::Registry& registry, const std::string& certificate,
                                       std::optional<certs::CertificateTimes> Times::* which) {
  certs::export_certificate_times(registry, certificate, [this, which] {
    return times_.with([which](const Times& all) { return all.*which; });
  });
}

void WebhookCertificates::run(const std::stop_token& stop) {
  std::vector<std::jthread> threads;
  threads.reserve(watched_.size());
  for (Watched& watched : watched_) {
    threads.emplace_back([this, &watched, stop] { follow(watched, stop); });
  }
  const kube::ReconcileHandler handler{
      .clock = clock_, .metrics = reconciles_, .queue = queue_, .confidential = true};
  while (const auto key = queue_.take(stop)) {
    // A reconcile with only some of the objects would recreate the others.
    if (synced() && leads_) {
      const auto failed = handler.run(*key, [this] { return reconcile(); });
      if (failed) tell(*failed);
    }
    queue_.done(*key);
  }
}

void WebhookCertificates::lead() {
  leads_ = true;
  queue_.add(kKey);
}

std::vector<LogLine> WebhookCertificates::dump() const {
  std::vector<LogLine> out;
  out.reserve(watched_.size());
  for (const Watched& one : watched_) {
    out.push_back(kube::dump_of(scope_of(one), one.store.contents()));
  }
  std::ranges::move(kube::dump_of(kCertificateController, queue_.contents()),
                    std::back_inserter(out));
  return out;
}

kube::Scope WebhookCertificates::scope_of(const Watched& watched) {
  kube::Scope scope{.resource = watched.resource, .ns = watched.ns};
  scope.field_selector = "metadata.name=" + watched.name;
  return scope;
}

void WebhookCertificates::follow(Watched& watched, const std::stop_token& stop) {
  kube::InformerHooks hooks;
  watched.store.listen([this](const kube::Change<json>&) { queue_.add(kKey); });
  hooks.on_synced = [this] { queue_.add(kKey); };
  hooks.log = [](const std::string& sentence) { log::info(sentence); };
  kube::Informer(transport_, watched.store, clock_, scope_of(watched), std::move(hooks)).run(stop);
}

bool WebhookCertificates::synced() const {
  return std::ranges::all_of(watched_,
                             [](const Watched& watched) { return watched.store.synced(); });
}

WebhookCertificates::Seen WebhookCertificates::seen() const {
  Seen seen;
  for (std::size_t which = 0; which < watched_.size(); ++which) {
    const auto all = watched_[which].store.all();
    if (!all.empty()) seen.objects[which] = all.front();
  }
  return seen;
}

Result<milliseconds> WebhookCertificates::reconcile() {
  const Seen now = seen();
  certs::RotationFacts facts;
  facts.stored =
      kept_of(value_of(now.objects[kLeafSecret]), value_of(now.objects[kAuthoritySecret]));
  facts.trusted = trusted_;
  for (const std::size_t which : {kMutatingOne, kValidatingOne}) {
    const auto bundles = bundles_of(value_of(now.objects[which]));
    facts.bundles.insert(facts.bundles.end(), bundles.begin(), bundles.end());
  }
  auto rotation = certs::rotate(facts, clock_.wall(), policy_);
  if (!rotation) return std::unexpected(rotation.error());
  trusted_ = rotation->trusted;
  const auto wrote = write(*rotation, now);
  if (!wrote) return std::unexpected(wrote.error());
  times_.with([&](Times& all) { all = {rotation->leaf, rotation->authority}; });
  if (*wrote) return milliseconds(0);  // the next reconcile starts from what was written
  const auto wait = std::chrono::ceil<milliseconds>(rotation->next - clock_.wall());
  return std::clamp(wait, milliseconds(1), kLongestSleep);
}

// Takes each step only after the one before (see certs::rotate). Returns whether anything was
// written.
Result<bool> WebhookCertificates::write(const certs::Rotation& rotation, const Seen& seen) {
  Watched& ca = watched_[kAuthoritySecret];
  const auto authority = write_secret(
      ca, authority_secret_of(rotation.desired, value_of(seen.objects[kAuthoritySecret]), ca.ns,
                              ca.name));
  if (!authority) return authority;
  bool wrote = *authority;
  for (const std::size_t which : {kMutatingOne, kValidatingOne}) {
    const auto bundle = write_bundle(watched_[which], seen.objects[which], rotation.bundle);
    if (!bundle) return bundle;
    wrote = wrote || *bundle;
  }
  Watched& served = watched_[kLeafSecret];
  const auto leaf =
      write_secret(served, leaf_secret_of(rotation.desired, value_of(seen.objects[kLeafSecret]),
                                          served.ns, served.name));
  if (!leaf) return leaf;
  for (const std::string& sentence : rotation.log_messages) {
    log::info(sentence, {{"namespace", options_.ns}, {"secret", options_.secret}});
  }
  return wrote || *leaf;
}

Result<bool> WebhookCertificates::write_secret(Watched& watched,
                                               const std::optional<json>& secret) {
  if (!secret) return false;
  const bool exists = !kube::metadata_text(*secret, "resourceVersion").empty();
  auto written =
      exists ? client_.update(kube::kSecrets, *secret) : client_.create(kube::kSecrets, *secret);
  if (!written) return std::unexpected(written.error());
  watched.store.learn(std::make_shared<const json>(*std::move(written)));
  log::info(exists ? "Updated Secret" : "Created Secret",
            {{"namespace", watched.ns}, {"name", watched.name}});
  return true;
}

Result<bool> WebhookCertificates::write_bundle(Watched& watched, const kube::Object& now,
                                               const std::string& bundle) {
  if (!now) return false;
  const auto patch = bundle_patch(*now, bundle);
  if (!patch) return false;
  auto written =
      client_.patch(watched.resource, watched.ns, watched.name, kube::PatchType::Json, *patch);
  if (!written) return std::unexpected(written.error());
  watched.store.learn(std::make_shared<const json>(*std::move(written)));
  log::info("Updated caBundle",
            {{"kind", std::string(watched.resource.kind)}, {"name", watched.name}});
  return true;
}

}  // namespace mc::controller
