#include "services/kubectl-minicluster/client/watch.h"

#include <memory>
#include <utility>

#include "services/api_resources.h"

namespace mc::kubectl {
namespace {

std::jthread informing(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                       kube::Scope scope, kube::InformerHooks hooks) {
  auto informer =
      std::make_shared<kube::Informer>(transport, store, clock, std::move(scope), std::move(hooks));
  return std::jthread([informer](const std::stop_token& stop) { informer->run(stop); });
}

}  // namespace

Watch::Watch(const Session& session, const json& minicluster,
             const std::optional<PodsToWatch>& pods, Mailbox& mailbox)
    : session_(session),
      mailbox_(mailbox),
      uid_(kube::metadata_text(minicluster, "uid")),
      pod_store_(pods ? pods->reduce : kube::Store<json>::Read()) {
  known_.with([&](Known& known) { known.minicluster = std::make_shared<const json>(minicluster); });
  const std::string& ns = session.namespace_name();
  kube::Scope scope{.resource = kMiniClusters, .ns = ns};
  scope.field_selector = "metadata.name=" + kube::metadata_text(minicluster, "name");
  thread_ = informing(session.transport(), store_, clock_, scope, hooks_of_minicluster());
  if (!pods) return;
  pod_thread_ = informing(session.transport(), pod_store_, clock_,
                          {.resource = kube::kPods, .ns = ns, .label_selector = pods->selector},
                          hooks_of_pods());
}

Watch::State Watch::look() const {
  State out;
  out.pods_known = pod_store_.synced();
  known_.with([&](const Known& known) {
    out.minicluster = known.minicluster;
    out.deleted = known.deleted;
    out.refused = known.refused;
    out.pods_refused = known.pods_refused;
    out.pods_known = out.pods_known || known.pods_refused;
  });
  for (const kube::Object& pod : pod_store_.all()) out.pods.push_back(*pod);
  return out;
}

kube::InformerHooks Watch::hooks_of_minicluster() {
  kube::InformerHooks hooks;
  store_.listen([this](const kube::Change<json>& change) { saw(change.after.object()); });
  hooks.on_synced = [this] {
    if (store_.size() == 0) saw(nullptr);
    sees_again();
  };
  hooks.log = [this](const std::string& sentence) {
    if (sentence.starts_with("Watching")) sees_again();
  };
  hooks.is_permanent = [this](const Error& error) { return is_refused(error); };
  return hooks;
}

kube::InformerHooks Watch::hooks_of_pods() {
  kube::InformerHooks hooks;
  pod_store_.listen([this](const kube::Change<json>&) { mailbox_.wake(); });
  hooks.on_synced = [this] {
    pod_patience_.succeeded();
    mailbox_.wake();
  };
  hooks.log = [this](const std::string& sentence) {
    if (sentence.starts_with("Watching")) pod_patience_.succeeded();
  };
  hooks.is_permanent = [this](const Error& error) {
    if (error.kind != ErrorKind::Forbidden) return false;
    if (!pod_patience_.is_final(error, clock_.now())) return false;
    known_.with([&](Known& known) { known.pods_refused = error; });
    mailbox_.note("cannot watch the pods: " + sentence_of(error));
    return true;
  };
  return hooks;
}

void Watch::saw(const kube::Object& now) {
  sees_again();
  known_.with([&](Known& known) {
    known.deleted = !now || kube::metadata_text(*now, "uid") != uid_;
    if (!known.deleted) known.minicluster = now;
  });
  mailbox_.wake();
}

void Watch::sees_again() {
  patience_.succeeded();
  const bool was_lost =
      known_.with([](Known& known) { return std::exchange(known.is_lost, false); });
  if (was_lost) mailbox_.note("reconnected to the cluster");
}

bool Watch::is_refused(const Error& error) {
  if (error.kind == ErrorKind::Gone) return false;  // it is listed again
  const bool is_final =
      error.kind == ErrorKind::Forbidden && patience_.is_final(error, clock_.now());
  const auto end = is_final ? error : session_.lost();
  if (end) {
    known_.with([&](Known& known) { known.refused = end; });
    mailbox_.wake();
    return true;
  }
  const bool was_lost =
      known_.with([](Known& known) { return std::exchange(known.is_lost, true); });
  if (!was_lost)
    mailbox_.note("lost the connection to the cluster, retrying: " + sentence_of(error));
  return false;
}

}  // namespace mc::kubectl
