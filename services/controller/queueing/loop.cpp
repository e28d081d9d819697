#include "services/controller/queueing/loop.h"

#include <algorithm>
#include <utility>

#include "common/base/backoff.h"
#include "common/kube/object.h"
#include "common/observe/log.h"
#include "services/controller/interpret/gone_job.h"
#include "services/controller/queueing/usage.h"

namespace mc::controller::queueing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// `kubectl replace --force` deletes the last FluxSetup and then creates it again.
constexpr seconds kWithoutSetup{60};
// Between two updates of conditions and of a FluxSetup's status.
constexpr seconds kTellEvery{1};
// By so much the wall clock may differ from one turn to the next without having jumped.
constexpr seconds kSlew{2};
// A jump is no event, so while something is due the clock is looked at so often.
constexpr seconds kLookAtClockEvery{10};
constexpr BackoffPolicy kRetry{.first = milliseconds(200), .cap = seconds(10)};

// Which FluxSetups there are, and which of them are kept, as a text to compare.
std::string what_is_written(const Setups& setups) {
  std::string out;
  const auto add = [&](const FluxSetup& setup) {
    out += setup.metadata.uid + " " + std::to_string(setup.generation) +
           (setup.is_kept ? " kept\n" : "\n");
  };
  if (setups.in_force) add(*setups.in_force);
  for (const Shared<FluxSetup>& setup : setups.older) add(*setup);
  for (const Shared<FluxSetup>& setup : setups.invalid) add(*setup);
  return out;
}

}  // namespace

Loop::Loop(const kube::Client& client, const Clock& clock, observe::Registry& registry,
           const Caches& caches, const kube::EventSource& reporter, LoopOptions options,
           LoopHooks hooks)
    : clock_(clock),
      caches_(caches),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      counted_(registry),
      log_(client, options_.ns, options_.instance),
      uses_(client, options_.ns, options_.instance),
      fluxsetups_(client, clock, reporter),
      status_write_(clock, "the status of FluxSetups", counted_.errors),
      limits_(client, clock, options_.ns, counted_.errors),
      workloads_(caches) {
  export_metrics(registry, [this] {
    return begun_ ? std::optional(shown_.with([](const Shown& shown) { return shown.metrics; }))
                  : std::nullopt;
  });
}

Time Loop::now() const { return std::chrono::floor<seconds>(clock_.wall()); }

void Loop::begin() {
  begun_ = true;
  if (!options_.enabled) {
    ready_ = true;
    hooks_.ready();
  }
  setups_changed();
}

void Loop::changed(const std::string& key, const std::string& owner) {
  if (!follows_) return;
  const std::scoped_lock lock(mutex_);
  auto& owners = changes_.keys[key];
  if (!owner.empty()) owners.insert(owner);
  wakes_.notify_all();
}

void Loop::setups_changed() {
  const std::scoped_lock lock(mutex_);
  changes_.setups = true;
  wakes_.notify_all();
}

QuotaReservation Loop::reservation(const std::string& key) const {
  return shown_.with([&](const Shown& shown) {
    QuotaReservation out;
    const auto found = shown.reservations.find(key);
    if (found != shown.reservations.end()) out = found->second;
    out.limited = shown.metrics.limited;
    out.defaults = shown.defaults;
    out.releases = shown.releases;
    return out;
  });
}

LoopContents Loop::contents(std::size_t most) const {
  LoopContents out{options_.enabled, begun_, ready_, setups_of(caches_.setups.all()), std::nullopt};
  const auto queue = shown_.with([](const Shown& shown) { return shown.queue; });
  if (queue) out.queue = queue->contents(most, now());
  return out;
}

void Loop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    wait(stop);
    if (!stop.stop_requested()) turn();
  }
}

void Loop::wait(const std::stop_token& stop) {
  auto until = next();
  // What is due may be a time of the wall clock.
  if (until && queue_) until = std::min(*until, clock_.now() + kLookAtClockEvery);
  std::unique_lock lock(mutex_);
  const auto has_changes = [this] { return !changes_.empty(); };
  if (until) {
    wakes_.wait_for(lock, stop, *until - clock_.now(), has_changes);
  } else {
    wakes_.wait(lock, stop, has_changes);
  }
}

Loop::Changes Loop::take_changes() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(changes_, Changes());
}

// What changes before the first turn or after a failure is not remembered: everything is read then.
void Loop::turn() {
  const Changes changes = take_changes();
  if (!begun_ || !options_.enabled) return;
  if (retry_ && clock_.now() < *retry_) return;
  retry_.reset();
  if (const auto done = step(changes); !done) return failed(done.error());
  failures_ = 0;
  if (ready_) return;
  ready_ = true;
  hooks_.ready();
}

// What was decided may be written down or not. The next turn reads the admission log again.
void Loop::failed(const Error& error) {
  loaded_ = false;
  counted_.errors.add();
  const auto delay = backoff_delay(kRetry, ++failures_);
  retry_ = clock_.now() + delay;
  log::warning("Cannot decide which MiniClusters run, trying again",
               {{"error", error.message}, {"milliseconds", std::to_string(delay.count())}});
}

std::optional<Loop::SteadyTime> Loop::next() const {
  if (retry_) return retry_;
  std::optional<SteadyTime> out;
  const auto at = [&](const std::optional<SteadyTime>& time) {
    if (time && (!out || *time < *out)) out = time;
  };
  at(opens_);
  at(clears_);
  if (untold_ && told_) at(*told_ + kTellEvery);
  at(status_write_.next());
  at(limits_.next());
  if (const auto event = queue_ ? queue_->next(now()) : std::nullopt) {
    at(clock_.now() + (*event - now()));
  }
  return out;
}

// Times that were calculated before are wrong then.
bool Loop::has_clock_jumped() {
  const std::chrono::nanoseconds now =
      clock_.wall().time_since_epoch() - clock_.now().time_since_epoch();
  const auto before = std::exchange(since_epoch_, now);
  return before && std::chrono::abs(now - *before) > kSlew;
}

Result<void> Loop::step(const Changes& changes) {
  if (has_clock_jumped() && queue_) {
    log::warning("The clock has jumped, deciding anew which MiniClusters run");
    loaded_ = false;
  }
  if (!loaded_) {
    if (auto done = load(); !done) return done;
  } else if (changes.setups) {
    setups_ = setups_of(caches_.setups.all());
    if (auto done = apply_setups(); !done) return done;
  }
  if (opens_ && clock_.now() >= *opens_) {
    if (auto done = open(); !done) return done;
  }
  evaluate(changes.keys);
  if (auto done = admit(); !done) return done;
  preempt();
  report();
  limits_.publish();
  return {};
}

Result<void> Loop::load() {
  auto logged = log_.take_over();
  if (!logged) return std::unexpected(logged.error());
  const bool was_limited = queue_ != nullptr || !logged->setup.empty();
  recorded_ = std::move(logged->setup);
  use(nullptr);
  setups_ = setups_of(caches_.setups.all());
  follows_ = was_limited || !setups_.empty();
  if (follows_) {
    use(std::make_shared<Queue>(logged->entries, logged->promise));
    evaluate_everything(logged->entries);
  }
  if (auto done = apply_setups(); !done) return done;
  loaded_ = true;
  // A decision whose answer was lost may be written down.
  if (!follows_) return {};
  tell_limits();
  for (const Entry& entry : logged->entries) hooks_.told(entry.key);
  return {};
}

Result<void> Loop::apply_setups() {
  untold_ = true;
  // Our own writes of the status change neither.
  if (std::string now = what_is_written(setups_); now != written_) {
    written_ = std::move(now);
    told_.reset();
    shown_.with([&](Shown& shown) {
      shown.metrics.in_force = setups_.in_force ? 1 : 0;
      shown.metrics.superseded = setups_.older.size();
      shown.metrics.invalid = setups_.invalid.size();
    });
  }
  if (!setups_.empty()) return limit(setups_);
  if (queue_) wait_for_another_setup();
  return {};
}

// The FluxSetup is named in the admission log before its limits count, so that the next leader
// knows that there were limits, whatever is deleted meanwhile.
Result<void> Loop::limit(const Setups& setups) {
  opens_.reset();
  const std::string name = setups.in_force ? setups.in_force->metadata.name : "(invalid)";
  if (name != recorded_) {
    const Batch nothing{.promise = queue_ ? queue_->written_promise() : std::nullopt};
    if (auto done = log_.write(nothing, name); !done) return done;
    recorded_ = name;
    log::info("FluxSetup in force", {{"name", name}});
  }
  const bool is_new = queue_ == nullptr;
  if (is_new) {
    follows_ = true;
    use(std::make_shared<Queue>());
  }
  const PriorityValues values = values_of(caches_.priority_classes.all());
  if (setups.in_force) {
    Policy policy = policy_of(setups.in_force->parsed, caches_.namespaces.all());
    limits_.want({name, policy.limits.hard});
    if (auto done = set_policy(std::move(policy), values); !done) return done;
    shown_.with([&](Shown& shown) {
      shown.defaults = setups.in_force->flux_defaults;
      shown.releases = setups.in_force->parsed.deadlock_policy == api::kReleaseDeadlocked;
    });
  } else {
    queue_->set_policy(std::nullopt, values,
                       "Every FluxSetup is invalid, so nothing starts until one is corrected.");
  }
  if (is_new) {
    evaluate_everything({});
    tell_limits();
  }
  return {};
}

// Tells every MiniCluster, once, that limits apply from now on, also if the first attempt to set
// them up failed.
void Loop::tell_limits() {
  if (std::exchange(are_limits_told_, true)) return;
  tell(caches_.clusters.keys());
}

// With fair share, a queue begins with what the last leader knew.
Result<void> Loop::set_policy(Policy policy, const PriorityValues& values) {
  const bool has_fair_share = policy.fair_share.has_value();
  queue_->set_policy(std::move(policy), values, "");
  if (!has_fair_share || uses_read_) {
    uses_read_ = has_fair_share;
    return {};
  }
  const auto uses = uses_.take_over();
  if (!uses) return std::unexpected(uses.error());
  queue_->resume(*uses, now());
  uses_read_ = true;
  return {};
}

// At most once a minute. Without it everything works, so a failure is no reason to stop.
void Loop::keep_uses() {
  const FairShare* fair_share = queue_->fair_share();
  if (fair_share == nullptr || fair_share->refreshed() == shared_) return;
  shared_ = fair_share->refreshed();
  untold_ = true;
  if (!uses_read_ || (kept_ && clock_.now() < *kept_ + kShareEvery)) return;
  kept_ = clock_.now();
  const auto done = uses_.write(fair_share->uses(now()), fair_share->policy().half_life);
  if (done) return;
  log::warning("Cannot write what was used, for fair share", {{"error", done.error().message}});
}

void Loop::wait_for_another_setup() {
  if (!opens_) opens_ = clock_.now() + kWithoutSetup;
  queue_->set_policy(
      std::nullopt, {},
      "The FluxSetup was deleted. Unless another one is created, every MiniCluster starts within " +
          std::to_string(kWithoutSetup.count()) + " seconds.");
}

// Entries under way need no care: their MiniClusters run anyway.
Result<void> Loop::open() {
  const auto logged = log_.take_over();
  if (!logged) return std::unexpected(logged.error());
  Batch all;
  for (const Entry& entry : logged->entries) all.remove.push_back(entry.job);
  // First: after the other write no process would find out that there were limits.
  if (auto done = limits_.withdraw(); !done) return done;
  if (auto done = log_.write(all, ""); !done) return done;
  recorded_.clear();
  follows_ = false;
  are_limits_told_ = false;
  use(nullptr);
  workloads_.forget();
  opens_.reset();
  clears_.reset();
  shown_.with([](Shown& shown) { shown = Shown(); });
  log::info("No FluxSetup limits MiniClusters any more");
  tell(caches_.clusters.keys());
  return {};
}

void Loop::use(std::shared_ptr<Queue> queue) {
  queue_ = std::move(queue);
  uses_read_ = false;
  shared_.reset();
  shown_.with([this](Shown& shown) { shown.queue = queue_; });
}

void Loop::tell(const std::vector<std::string>& keys) const {
  for (const std::string& key : keys) hooks_.told(key);
}

void Loop::evaluate(const Keys& keys) {
  if (!queue_ || keys.empty()) return;
  untold_ = true;
  std::vector<std::string> evaluated, outdated;
  for (const auto& [key, owners] : keys) {
    const bool was_told = queue_->reservation(key).condition.has_value();
    queue_->set(key, workloads_.read(key, owners, now()), now());
    evaluated.push_back(key);
    // A reconcile that was faster has written the condition of before.
    if (was_told && !queue_->reservation(key).condition) outdated.push_back(key);
  }
  show(evaluated);
  tell(outdated);
}

// `entries`: of MiniClusters that may be gone.
void Loop::evaluate_everything(const std::vector<Entry>& entries) {
  Keys keys;
  for (const Entry& entry : entries) keys[entry.key];
  for (const std::string& key : caches_.clusters.keys()) keys[key];
  for (const std::string& key : caches_.jobs.keys()) keys[key];
  for (const Shared<Pod>& pod : caches_.pods.all()) {
    const std::string key = cluster_key(caches_, *pod);
    if (!key.empty()) keys[key].insert(pod->metadata.owner.uid);
  }
  evaluate(keys);
}

// Decides, writes the decision down, and only then lets the reconciles know.
Result<void> Loop::admit() {
  if (!queue_) return {};
  queue_->give_up(now());
  const auto examined = queue_->examine(now());
  show(examined);
  tell(examined);
  const auto began = clock_.now();
  const Batch batch = queue_->decide(now());
  counted_.decision_seconds.observe(std::chrono::duration<double>(clock_.now() - began).count());
  keep_uses();
  const bool is_news = !batch.add.empty() || queue_->is_news(batch);
  if (!is_news && batch.remove.empty()) {
    clears_.reset();
    return {};
  }
  if (!is_news) {
    if (!clears_) clears_ = began + kTellEvery;
    if (began < *clears_) return {};
  }
  clears_.reset();
  if (auto done = log_.write(batch, recorded_); !done) return done;
  untold_ = true;
  const auto changed = queue_->written(batch, now());
  for (const Entry& entry : batch.add) count(entry);  // before their Jobs may start
  show(changed);
  tell(changed);
  return {};
}

void Loop::count(const Entry& admitted) {
  counted_.admitted.add();
  const auto cluster = caches_.clusters.get(admitted.key);
  if (!cluster || !cluster->metadata.created) return;
  const auto job = caches_.jobs.get(admitted.key);
  // Otherwise it grows, or continues after a suspension.
  const bool is_first = job == nullptr || !is_recorded(*cluster, *job);
  if (!is_first) return;
  const std::chrono::duration<double> waited = clock_.wall() - *cluster->metadata.created;
  counted_.wait_seconds.observe(waited.count());
}

// Nothing is written down: it depends only on what is known, and the Job says who was suspended.
void Loop::preempt() {
  if (!queue_) return;
  const auto changed = queue_->preempt(now());
  show(changed);
  tell(changed);
}

void Loop::show(const std::vector<std::string>& keys) {
  shown_.with([&](Shown& shown) {
    MetricValues& metrics = shown.metrics;
    metrics.limited = true;
    metrics.hard = queue_->policy() ? queue_->policy()->limits.hard : api::Amounts();
    metrics.used = used_of(metrics.hard, queue_->usage().cluster());
    metrics.waiting = queue_->waiting();
    metrics.never_fit = queue_->never_fit();
    metrics.running = queue_->admitted();
    for (const std::string& key : keys) {
      QuotaReservation reservation = queue_->reservation(key);
      if (reservation ==
          QuotaReservation{.limited = true, .job = "", .preempted = "", .condition = {}}) {
        shown.reservations.erase(key);
      } else {
        shown.reservations[key] = std::move(reservation);
      }
    }
  });
}

// Brings conditions and the status of FluxSetups up to date, at most once a second.
void Loop::report() {
  if (queue_ && queue_->is_forecast_due(now())) untold_ = true;
  if (untold_ && (!told_ || clock_.now() >= *told_ + kTellEvery)) {
    if (queue_) {
      const auto changed = queue_->tell(now());
      show(changed);
      tell(changed);
    }
    told_ = clock_.now();
    untold_ = false;
    status_write_.want();
  }
  if (!status_write_.is_due()) return;
  Counts counts;
  if (queue_) counts = {queue_->usage().cluster(), queue_->admitted(), queue_->waiting()};
  status_write_.tried(fluxsetups_.write(setups_, counts));
}

}  // namespace mc::controller::queueing
