#include "common/kube/reconcile_handler.h"

#include <exception>

#include "common/observe/log.h"

namespace mc::kube {
namespace {

// What policy or quota refused is refused again until a person changes these.
constexpr std::chrono::seconds kRecheckRefused{30};

Result<RequeueAfter> guarded(const ReconcileHandler& handler,
                             const std::function<Result<RequeueAfter>()>& reconcile) {
  try {
    return reconcile();
  } catch (const std::exception& error) {
    // A defect of ours, triggered by one object, must not stop the others.
    handler.metrics.panicked();
    return fail(ErrorKind::Malformed,
                handler.confidential ? "defect" : std::string("defect: ") + error.what());
  }
}

std::chrono::milliseconds try_again(const ReconcileHandler& handler, const std::string& key,
                                    const Error& error) {
  if (error.kind != ErrorKind::Forbidden && error.kind != ErrorKind::Invalid) {
    return handler.queue.add_rate_limited(key, std::chrono::seconds(error.retry_after_s));
  }
  handler.metrics.terminal_error();
  handler.queue.add_after(key, kRecheckRefused);
  return kRecheckRefused;
}

// True if another writer was first, which is normal.
bool other_was_first(const Error& error) {
  return error.kind == ErrorKind::Conflict || error.kind == ErrorKind::AlreadyExists;
}

// As controller-runtime counts it, except what is normal.
observe::ReconcileResult result_of(const Result<RequeueAfter>& outcome) {
  using observe::ReconcileResult;
  if (!outcome && other_was_first(outcome.error())) return ReconcileResult::Requeue;
  if (!outcome) return ReconcileResult::Error;
  const RequeueAfter& after = *outcome;
  if (!after) return ReconcileResult::Success;
  return *after > std::chrono::milliseconds(0) ? ReconcileResult::RequeueAfter
                                               : ReconcileResult::Requeue;
}

// Decides whether and when the key is reconciled again; nothing else does.
std::optional<FailedReconcile> settle(const ReconcileHandler& handler, const std::string& key,
                                      const Result<RequeueAfter>& outcome) {
  if (!outcome) {
    const auto delay = try_again(handler, key, outcome.error());
    if (other_was_first(outcome.error()) && !observe::log::v(2)) return std::nullopt;
    return FailedReconcile{outcome.error(), delay};
  }
  handler.queue.forget(key);
  if (const RequeueAfter again = *outcome) handler.queue.add_after(key, *again);
  return std::nullopt;
}

}  // namespace

std::optional<FailedReconcile> ReconcileHandler::run(
    const std::string& key, const std::function<Result<RequeueAfter>()>& reconcile) const {
  const auto start = clock.now();
  metrics.started();
  const Result<RequeueAfter> outcome = guarded(*this, reconcile);
  auto failed = settle(*this, key, outcome);
  const std::chrono::duration<double> took = clock.now() - start;
  metrics.finished(result_of(outcome), took.count());
  return failed;
}

}  // namespace mc::kube
