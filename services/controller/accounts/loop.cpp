#include "services/controller/accounts/loop.h"

#include <algorithm>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/backoff.h"
#include "common/observe/log.h"
#include "services/controller/accounts/account_log.h"
#include "services/controller/accounts/ledger.h"
#include "services/controller/accounts/record.h"

namespace mc::controller::accounts {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Between two writes of a namespace's ConfigMap.
constexpr seconds kWriteEvery{5};
constexpr BackoffPolicy kRetry{.first = milliseconds(200), .cap = seconds(10)};
// A refusal may pass: a right that an upgrade is about to grant, a quota.
constexpr seconds kPatience{300};
// For what is left when the process stops.
constexpr seconds kLastWrites{3};
// Records that wait for a write. The keys of the others wait instead, which cost less.
constexpr std::size_t kMostWaiting = 10'000;
constexpr std::size_t kMostKeys = 1000;  // taken in one turn
constexpr std::size_t kMostDropped = 1000;

// "namespace/name" of the Job of a pod, which is that of the MiniCluster; "" of any other pod.
std::string job_key(const Shared<Pod>& pod) {
  return pod == nullptr ? "" : owner_key(pod->metadata, "Job");
}

// The Job, if it is that of a MiniCluster of its name; otherwise null.
Shared<Job> job_of_minicluster(const kube::Stored<Job>& stored, const std::string& key) {
  const Shared<Job> job = stored ? stored.object() : nullptr;
  const bool is_ours = job != nullptr && owner_key(job->metadata, api::kKind) == key;
  return is_ours ? job : nullptr;
}

}  // namespace

Loop::Loop(const kube::Client& client, const Clock& clock, observe::Registry& registry,
           Caches& caches, std::function<bool(const std::string& ns)> is_listed)
    : client_(client),
      clock_(clock),
      caches_(caches),
      is_listed_(std::move(is_listed)),
      metrics_(registry) {
  caches.jobs.observe([this](const kube::Change<Job>& change) { observe(change); });
  caches.pods.observe([this](const kube::Change<Pod>& change) { observe(change); });
  caches.clusters.observe([this](const kube::Change<MiniCluster>& change) { observe(change); });
}

Time Loop::now() const { return std::chrono::floor<seconds>(clock_.wall()); }

void Loop::observe(const kube::Change<Job>& change) {
  const auto before = job_of_minicluster(change.before, change.key);
  const auto after = job_of_minicluster(change.after, change.key);
  if (before == nullptr && after == nullptr) return;
  bool by_spec = false;
  if (after != nullptr && after->conditions.suspended) {
    const auto cluster = caches_.clusters.get(change.key);
    by_spec = cluster != nullptr && cluster->is_suspended;
  }
  if (before == nullptr) metrics_.begin(namespace_of(change.key), after->requests);
  const std::scoped_lock lock(mutex_);
  if (meter_.update(change.key, before, after, by_spec, now())) tell(change.key);
}

void Loop::observe(const kube::Change<Pod>& change) {
  const Shared<Pod> before = change.before ? change.before.object() : nullptr;
  const Shared<Pod> after = change.after ? change.after.object() : nullptr;
  const std::string key = job_key(after != nullptr ? after : before);
  if (key.empty()) return;
  const std::string& job = (after != nullptr ? after : before)->metadata.owner.uid;
  const std::scoped_lock lock(mutex_);
  meter_.update(key, job, before.get(), after.get(), now());
}

void Loop::observe(const kube::Change<MiniCluster>& change) {
  const Shared<MiniCluster> before = change.before ? change.before.object() : nullptr;
  const Shared<MiniCluster> after = change.after ? change.after.object() : nullptr;
  const std::scoped_lock lock(mutex_);
  if (meter_.update(change.key, before, after)) tell(change.key);
}

// begin() collects those of before.
void Loop::tell(const std::string& key) {
  if (!begun_) return;
  keys_.insert(key);
  wakes_.notify_all();
}

void Loop::begin() {
  metrics_.lead();
  const std::scoped_lock lock(mutex_);
  if (begun_) return;
  begun_ = true;
  for (std::string& key : meter_.lead()) keys_.insert(std::move(key));
  wakes_.notify_all();
}

void Loop::begin_in(const std::string& ns) {
  const std::scoped_lock lock(mutex_);
  if (!begun_) return;
  for (std::string& key : meter_.lead(ns)) keys_.insert(std::move(key));
  wakes_.notify_all();
}

void Loop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    wait(stop);
    if (!stop.stop_requested()) turn();
  }
  finish();
}

bool Loop::has_place() const {
  std::size_t waiting = 0;
  for (const auto& [ns, book] : books_) waiting += book.waiting.size();
  return waiting < kMostWaiting;
}

void Loop::wait(const std::stop_token& stop) {
  const auto until = next();
  const bool takes_keys = has_place();
  std::unique_lock lock(mutex_);
  const auto has_work = [&] { return takes_keys && !keys_.empty(); };
  if (until) {
    wakes_.wait_for(lock, stop, *until - clock_.now(), has_work);
  } else {
    wakes_.wait(lock, stop, has_work);
  }
}

std::set<std::string> Loop::take_keys() {
  if (!has_place()) return {};
  const std::scoped_lock lock(mutex_);
  std::set<std::string> out;
  while (!keys_.empty() && out.size() < kMostKeys) out.insert(keys_.extract(keys_.begin()));
  return out;
}

std::optional<Loop::SteadyTime> Loop::next() const {
  std::optional<SteadyTime> out;
  for (const auto& [ns, book] : books_) {
    if (!book.waiting.empty() && (!out || book.due < *out)) out = book.due;
  }
  return out;
}

void Loop::turn() {
  take_ended();
  for (auto& [ns, book] : books_) {
    if (!book.waiting.empty() && book.due <= clock_.now()) write(ns, book);
  }
  std::erase_if(books_, [this](const auto& entry) {
    return entry.second.waiting.empty() && entry.second.due <= clock_.now();
  });
}

void Loop::finish() {
  const auto until = clock_.now() + kLastWrites;
  take_ended();
  for (auto& [ns, book] : books_) {
    if (!book.waiting.empty() && clock_.now() < until) write(ns, book);
  }
}

void Loop::take_ended() {
  for (const std::string& key : take_keys()) {
    if (is_listed_ && !is_listed_(namespace_of(key))) continue;  // begin_in() tells it again
    const auto cluster = caches_.clusters.get(key);
    std::vector<EndedRun> ended;
    {
      const std::scoped_lock lock(mutex_);
      ended = meter_.take(key, cluster, now());
    }
    for (const EndedRun& run : ended) put(namespace_of(key), run);
  }
}

void Loop::put(const std::string& ns, const EndedRun& ended) {
  Waiting one{.run = record_of(ended), .may_be_there = ended.may_be_there};
  if (!one.may_be_there) {
    metrics_.add(ns, one.run);
    one.is_counted = true;
  }
  books_[ns].waiting.push_back(std::move(one));
}

void Loop::write(const std::string& ns, Book& book) {
  const auto done = record(ns, book);
  if (!done) return failed(ns, book, done.error());
  book = {.waiting = {}, .due = clock_.now() + kWriteEvery, .failures = 0, .refused = {}};
  dropped_.erase(ns);
}

Result<void> Loop::record(const std::string& ns, Book& book) {
  const auto there = read_log(client_, ns);
  if (!there) return std::unexpected(there.error());
  std::erase_if(book.waiting, [&](const Waiting& one) {
    return has_run(there->accounts, one.run, one.may_be_there);
  });
  std::vector<api::RunRecord> runs;
  runs.reserve(book.waiting.size());
  for (const Waiting& one : book.waiting) runs.push_back(one.run);
  if (runs.empty()) return {};
  auto written = write_log(client_, ns, *there, runs);
  // The API server may have carried it out.
  const bool is_unknown = !written && written.error().kind == ErrorKind::Unavailable;
  for (Waiting& one : book.waiting) {
    one.may_be_there = one.may_be_there || is_unknown;
    if (!written && !is_unknown) continue;
    if (!std::exchange(one.is_counted, true)) metrics_.add(ns, one.run);
  }
  return written;
}

// Whether the same write may succeed later. A namespace that is being deleted is Forbidden, then
// NotFound.
bool Loop::may_pass(Book& book, ErrorKind kind) const {
  if (kind != ErrorKind::Forbidden) book.refused.reset();
  switch (kind) {
    case ErrorKind::Conflict:
    case ErrorKind::AlreadyExists:
    case ErrorKind::Throttled:
    case ErrorKind::Unavailable:
    case ErrorKind::Gone:
      return true;
    case ErrorKind::Forbidden:
      if (!book.refused) book.refused = clock_.now();
      return clock_.now() - *book.refused < kPatience;
    case ErrorKind::NotFound:
    case ErrorKind::Invalid:
    case ErrorKind::Malformed:
      return false;
  }
  return false;
}

void Loop::failed(const std::string& ns, Book& book, const Error& error) {
  metrics_.failed();
  if (!may_pass(book, error.kind)) return drop(ns, book, error);
  const auto delay = backoff_delay(kRetry, ++book.failures);
  book.due = clock_.now() + delay;
  log::warning("Accounts cannot be written, trying again",
               {{"namespace", ns},
                {"error", error.message},
                {"milliseconds", std::to_string(delay.count())}});
}

// Those that an earlier leader may have recorded, in a namespace that is gone now, are no loss.
void Loop::drop(const std::string& ns, Book& book, const Error& error) {
  const auto lost = std::ranges::count(book.waiting, true, &Waiting::is_counted);
  metrics_.drop(static_cast<std::size_t>(lost));
  book = {.waiting = {}, .due = clock_.now() + kWriteEvery, .failures = 0, .refused = {}};
  if (lost == 0) return;
  if (dropped_.size() >= kMostDropped) dropped_.clear();
  if (!dropped_.insert(ns).second) return;
  log::warning("Accounts are refused, and are dropped until they are not",
               {{"namespace", ns}, {"error", error.message}});
}

}  // namespace mc::controller::accounts
