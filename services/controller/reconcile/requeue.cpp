#include "services/controller/reconcile/requeue.h"

#include <exception>

#include "common/observe/log.h"

namespace mc::controller {
namespace {

// What policy or quota refused is refused again until a person changes these.
constexpr std::chrono::seconds kRecheckRefused{30};

Result<RequeueAfter> guarded(const ReconcileHandler& runner,
                             const std::function<Result<RequeueAfter>()>& pass) {
  try {
    return pass();
  } catch (const std::exception& error) {
    // A defect of ours, triggered by one object, must not stop the others.
    runner.metrics.panicked();
    return fail(ErrorKind::Malformed,
                runner.confidential ? "defect" : std::string("defect: ") + error.what());
  }
}

std::chrono::milliseconds try_again(const ReconcileHandler& runner, const std::string& key,
                                    const Error& error) {
  if (error.kind != ErrorKind::Forbidden && error.kind != ErrorKind::Invalid) {
    return runner.queue.retry(key, std::chrono::seconds(error.retry_after_s));
  }
  runner.metrics.terminal_error();
  runner.queue.add_after(key, kRecheckRefused);
  return kRecheckRefused;
}

// True if another writer was first, which is normal.
bool other_was_first(const Error& error) {
  return error.kind == ErrorKind::Conflict || error.kind == ErrorKind::AlreadyExists;
}

// As controller-runtime counts it.
observe::ReconcileResult result_of(const Result<RequeueAfter>& outcome) {
  using observe::ReconcileResult;
  if (!outcome) return ReconcileResult::Error;
  const RequeueAfter& after = *outcome;
  if (!after) return ReconcileResult::Success;
  return *after > std::chrono::milliseconds(0) ? ReconcileResult::RequeueAfter
                                               : ReconcileResult::Requeue;
}

// Decides whether and when the key is reconciled again; nothing else does.
std::optional<FailedReconcile> settle(const ReconcileHandler& runner, const std::string& key,
                                      const Result<RequeueAfter>& outcome) {
  if (!outcome) {
    const auto delay = try_again(runner, key, outcome.error());
    if (other_was_first(outcome.error()) && !observe::log::v(2)) return std::nullopt;
    return FailedReconcile{outcome.error(), delay};
  }
  runner.queue.forget(key);
  if (const RequeueAfter again = *outcome) runner.queue.add_after(key, *again);
  return std::nullopt;
}

}  // namespace

std::optional<FailedReconcile> ReconcileHandler::run(
    const std::string& key, const std::function<Result<RequeueAfter>()>& pass) const {
  const auto start = clock.now();
  metrics.started();
  const Result<RequeueAfter> outcome = guarded(*this, pass);
  auto failed = settle(*this, key, outcome);
  const std::chrono::duration<double> took = clock.now() - start;
  metrics.finished(result_of(outcome), took.count());
  return failed;
}

}  // namespace mc::controller
