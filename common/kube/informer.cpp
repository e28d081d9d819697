#include "common/kube/informer.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"

namespace mc::kube {
namespace {

// client-go waits up to 30 s. These delays are stretched up to twice, so every kind is watched
// again at most 20 s after an API server has come back.
constexpr BackoffPolicy kPolicy{std::chrono::milliseconds{800}, std::chrono::seconds{10}};
constexpr std::chrono::seconds kResetAfter{120};
// A watch that ends sooner without an event would otherwise be repeated without a pause.
constexpr std::chrono::seconds kShortWatch{1};
// The API server sends a bookmark about once a minute; by then there must have been one.
constexpr std::chrono::minutes kBookmarkDue{2};

std::string name_of(const Scope& scope) {
  return std::string(scope.resource.kind) +
         (scope.ns.empty() ? " in all namespaces" : " in " + scope.ns);
}

}  // namespace

Informer::Informer(Transport& transport, WatchedStore& store, const Clock& clock, Scope scope,
                   InformerHooks hooks)
    : transport_(transport),
      store_(store),
      clock_(clock),
      hooks_(std::move(hooks)),
      name_(name_of(scope)),
      has_bookmarks_(scope.has_bookmarks),
      watcher_(std::move(scope)),
      backoff_(kPolicy, kResetAfter) {}

void Informer::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const bool watches = watcher_.watching();
    const auto outcome = watches ? watch(stop) : list_page();
    if (outcome || stop.stop_requested()) continue;
    has_watch_failed_ = watches;
    watcher_.failed(outcome.error());
    log_error(outcome.error());
    if (hooks_.is_permanent && hooks_.is_permanent(outcome.error())) return;
    wait(delay_after(outcome.error()), stop);
  }
}

Result<void> Informer::list_page() {
  // Before the request: the list may lack what is learned while it is under way.
  if (watcher_.begins_list()) take(Restarted{});
  const auto request = watcher_.next();
  auto response = transport_.send(request);
  if (!response) return std::unexpected(response.error());
  if (response->status != 200) return std::unexpected(api_error(request, *response));
  auto events = watcher_.page(response->body);
  if (!events) return std::unexpected(events.error());
  for (const auto& event : *events) take(event);
  return {};
}

Result<void> Informer::watch(const std::stop_token& stop) {
  const auto request = watcher_.next();
  const auto start = clock_.now();
  bool said_something = false;
  Result<void> outcome;
  auto end = transport_.stream(request, stop, [&](std::string_view line) {
    said_something = true;
    auto event = watcher_.line(line, [this](const json& metadata) { return store_.has(metadata); });
    if (!event) {
      outcome = std::unexpected(event.error());
      return false;
    }
    backoff_.reset();
    recovered();
    log_recovery();
    if (*event) take(**event);
    return true;
  });
  if (!outcome) return outcome;
  if (!end) return end;
  if (said_something || stop.stop_requested()) return {};
  if (clock_.now() - start < kShortWatch) {
    return fail(ErrorKind::Unavailable, request.what + ": ended at once");
  }
  if (clock_.now() - start < kBookmarkDue) {  // for example, the API server restarts
    recovered();
    return {};
  }
  // An API server whose etcd was restored to an earlier version would let us wait forever for our
  // version.
  const Error silent{ErrorKind::Gone, request.what + ": was silent, without even a bookmark"};
  if (has_bookmarks_) return std::unexpected(silent);
  recovered();
  watcher_.failed(silent);
  return {};
}

void Informer::take(const WatchEvent& event) {
  store_.take(event, hooks_.wants_changes);
  if (!std::holds_alternative<Synced>(event)) return;
  if (!has_watch_failed_) recovered();
  if (hooks_.log) hooks_.log("Listed " + name_ + ": " + std::to_string(store_.size()));
  if (hooks_.on_synced) hooks_.on_synced();
}

void Informer::recovered() {
  has_watch_failed_ = false;
  if (std::exchange(is_failing_, false) && hooks_.works) hooks_.works(true);
}

void Informer::log_recovery() {
  if (last_logged_error_.empty()) return;
  last_logged_error_.clear();
  if (hooks_.log) hooks_.log("Watching " + name_ + " again");
}

void Informer::log_error(const Error& error) {
  if (!std::exchange(is_failing_, true) && hooks_.works) hooks_.works(false);
  if (std::exchange(last_logged_error_, error.message) == error.message) return;
  if (hooks_.log) hooks_.log("Cannot follow " + name_ + ", trying again: " + error.message);
}

std::chrono::milliseconds Informer::delay_after(const Error& error) {
  const std::chrono::milliseconds asked = std::chrono::seconds(error.retry_after_s);
  return std::max(asked, backoff_.next(clock_.now(), random_jitter()));
}

}  // namespace mc::kube
