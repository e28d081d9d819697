#include "services/controller/webhook_certificates/rotate.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/rfc3339.h"
#include "common/kube/informer.h"
#include "common/observe/certificate_metrics.h"
#include "common/observe/log.h"
#include "services/controller/reconcile/requeue.h"

namespace mc::controller {
namespace {

namespace log = observe::log;
using std::chrono::milliseconds;

constexpr kube::Resource kMutating{"admissionregistration.k8s.io", "v1",
                                   "mutatingwebhookconfigurations", "MutatingWebhookConfiguration",
                                   false};
constexpr kube::Resource kValidating{"admissionregistration.k8s.io", "v1",
                                     "validatingwebhookconfigurations",
                                     "ValidatingWebhookConfiguration", false};

// The order of stores_.
enum Which : std::size_t { kLeafSecret, kAuthoritySecret, kMutatingOne, kValidatingOne };

constexpr const char* kName = "webhookcertificate";  // of the controller, in metrics
using Shown = std::optional<observe::CertificateLife>;

const std::string kKey = "webhook";  // the only key of the queue
// Limits a sleep, because a machine that was suspended has slept through its timer. Waking up sends
// no request.
constexpr milliseconds kLongestSleep = std::chrono::hours(1);

// A deleted object must be restored within seconds, also after an outage of the API server.
constexpr BackoffPolicy kBackoff{milliseconds(50), std::chrono::seconds(5)};

void tell(const FailedReconcile& failed) {
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
      passes_(registry, kName, 1),
      queue_metrics_(registry, kName),
      queue_(clock, kBackoff, &queue_metrics_) {
  show(registry, "leaf", &Lives::leaf);
  show(registry, "authority", &Lives::authority);
}

void WebhookCertificates::show(observe::Registry& registry, const std::string& certificate,
                               std::optional<certs::Life> Lives::* which) {
  observe::show_life(registry, certificate, [this, which]() -> Shown {
    const auto life = lives_.with([which](const Lives& all) { return all.*which; });
    if (!life) return std::nullopt;
    return observe::CertificateLife{life->not_before, life->not_after, life->renewal};
  });
}

void WebhookCertificates::run(const std::stop_token& stop) {
  std::vector<std::jthread> threads;
  threads.reserve(stores_.size());
  for (std::size_t which = 0; which < stores_.size(); ++which) {
    threads.emplace_back([this, which, stop] { follow(which, stop); });
  }
  const ReconcileHandler runner{
      .clock = clock_, .metrics = passes_, .queue = queue_, .confidential = true};
  while (const auto key = queue_.take(stop)) {
    // A reconcile with only some of the objects would recreate the others.
    if (synced() && leads_) {
      const auto failed = runner.run(*key, [this] { return pass(); });
      if (failed) tell(*failed);
    }
    queue_.done(*key);
  }
}

void WebhookCertificates::lead() {
  leads_ = true;
  queue_.add(kKey);
}

void WebhookCertificates::follow(std::size_t which, const std::stop_token& stop) {
  const bool is_secret = which == kLeafSecret || which == kAuthoritySecret;
  const std::string name = which == kLeafSecret        ? options_.secret
                           : which == kAuthoritySecret ? authority_secret_name(options_.secret)
                                                       : options_.configuration;
  const kube::Resource& resource = is_secret               ? kube::kSecrets
                                   : which == kMutatingOne ? kMutating
                                                           : kValidating;
  kube::Scope scope{.resource = resource, .ns = is_secret ? options_.ns : std::string()};
  scope.field_selector = "metadata.name=" + name;
  kube::InformerHooks hooks;
  hooks.on_change = [this](const std::string&, const kube::Change&) { queue_.add(kKey); };
  hooks.on_synced = [this] { queue_.add(kKey); };
  hooks.log = [](const std::string& sentence) { log::info(sentence); };
  kube::Informer(transport_, stores_[which], clock_, std::move(scope), std::move(hooks)).run(stop);
}

bool WebhookCertificates::synced() const {
  return std::ranges::all_of(stores_, [](const kube::Store& store) { return store.synced(); });
}

WebhookCertificates::Seen WebhookCertificates::seen() const {
  Seen seen;
  for (std::size_t which = 0; which < stores_.size(); ++which) {
    const auto all = stores_[which].all();
    if (!all.empty()) seen.objects[which] = all.front();
  }
  return seen;
}

Result<milliseconds> WebhookCertificates::pass() {
  const Seen now = seen();
  certs::RotationFacts facts;
  facts.kept = kept_of(value_of(now.objects[kLeafSecret]), value_of(now.objects[kAuthoritySecret]));
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
  lives_.with([&](Lives& all) { all = {rotation->leaf, rotation->authority}; });
  if (*wrote) return milliseconds(0);  // the next reconcile starts from what was written
  const auto wait = std::chrono::ceil<milliseconds>(rotation->next - clock_.wall());
  return std::clamp(wait, milliseconds(1), kLongestSleep);
}

// Takes each step only after the one before (see certs::rotate). Returns whether anything was
// written.
Result<bool> WebhookCertificates::write(const certs::Rotation& rotation, const Seen& seen) {
  const auto authority =
      write_secret(authority_secret_of(rotation.kept, value_of(seen.objects[kAuthoritySecret]),
                                       options_.ns, authority_secret_name(options_.secret)));
  if (!authority) return authority;
  bool wrote = *authority;
  for (const std::size_t which : {kMutatingOne, kValidatingOne}) {
    const auto bundle = write_bundle(which, seen.objects[which], rotation.bundle);
    if (!bundle) return bundle;
    wrote = wrote || *bundle;
  }
  const auto leaf = write_secret(leaf_secret_of(rotation.kept, value_of(seen.objects[kLeafSecret]),
                                                options_.ns, options_.secret));
  if (!leaf) return leaf;
  for (const std::string& sentence : rotation.done) {
    log::info(sentence, {{"namespace", options_.ns}, {"secret", options_.secret}});
  }
  return wrote || *leaf;
}

Result<bool> WebhookCertificates::write_secret(const std::optional<json>& secret) {
  if (!secret) return false;
  const bool exists = !kube::metadata_text(*secret, "resourceVersion").empty();
  auto written =
      exists ? client_.update(kube::kSecrets, *secret) : client_.create(kube::kSecrets, *secret);
  if (!written) return std::unexpected(written.error());
  const std::string name = kube::metadata_text(*secret, "name");
  const std::size_t which = name == options_.secret ? kLeafSecret : kAuthoritySecret;
  stores_[which].learn(std::make_shared<const json>(*std::move(written)));
  log::info(exists ? "Updated Secret" : "Created Secret",
            {{"namespace", options_.ns}, {"name", name}});
  return true;
}

Result<bool> WebhookCertificates::write_bundle(std::size_t which, const kube::Object& now,
                                               const std::string& bundle) {
  if (!now) return false;
  const auto patch = bundle_patch(*now, bundle);
  if (!patch) return false;
  const kube::Resource& resource = which == kMutatingOne ? kMutating : kValidating;
  auto written = client_.patch(resource, "", options_.configuration, kube::PatchType::Json, *patch);
  if (!written) return std::unexpected(written.error());
  stores_[which].learn(std::make_shared<const json>(*std::move(written)));
  log::info("Updated caBundle",
            {{"kind", std::string(resource.kind)}, {"name", options_.configuration}});
  return true;
}

}  // namespace mc::controller
