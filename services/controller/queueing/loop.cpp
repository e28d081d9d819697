#include "services/controller/queueing/loop.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/kube/object.h"
#include "common/observe/log.h"
#include "services/controller/cache/gather.h"

namespace mc::controller::queueing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// `kubectl replace --force` deletes the last FluxSetup and then creates it again.
constexpr seconds kWithoutSetup{60};
// Between two updates of conditions and of a FluxSetup's status.
constexpr seconds kTellEvery{1};
constexpr milliseconds kFirstDelay{200}, kLongestDelay{10'000};

constexpr std::array kWaitBuckets = {1.0,    5.0,     15.0,    60.0,    300.0,   900.0,
                                     3600.0, 10800.0, 43200.0, 86400.0, 259200.0};
constexpr std::array kDecisionBuckets = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0};

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

Admission::Admission(const kube::Client& client, const Clock& clock, observe::Registry& registry,
                     const Caches& caches, const kube::EventSource& reporter,
                     AdmissionOptions options, AdmissionHooks hooks)
    : client_(client),
      clock_(clock),
      caches_(caches),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      mailbox_(clock),
      wait_times_(registry.histogram("minicluster_quota_wait_seconds",
                                     "Seconds from a MiniCluster's creation to its admission, if "
                                     "it waited for the limits of a FluxSetup.",
                                     kWaitBuckets)),
      decision_times_(registry.histogram("minicluster_quota_decision_seconds",
                                         "Seconds that a decision about those that wait took.",
                                         kDecisionBuckets)),
      admitted_total_(registry.counter("minicluster_quota_admitted_total",
                                       "MiniClusters that were admitted within the limits of a "
                                       "FluxSetup, and growths of those.")),
      errors_(registry.counter("minicluster_quota_decision_errors_total",
                               "Failed tries to decide who runs, to write that down, or to write "
                               "the status of a FluxSetup.")),
      file_(client, options_.ns, options_.holder),
      writer_(client, clock, reporter) {
  export_figures(registry, [this] {
    return begun_ ? std::optional(shown_.with([](const Shown& shown) { return shown.figures; }))
                  : std::nullopt;
  });
}

Time Admission::now() const { return std::chrono::floor<seconds>(clock_.wall()); }

void Admission::begin() {
  begun_ = true;
  if (!options_.enabled) {
    ready_ = true;
    hooks_.ready();
  }
  mailbox_.setups_changed();
}

void Admission::changed(const std::string& key, const std::string& owner) {
  if (follows_) mailbox_.changed(key, owner);
}

void Admission::setups_changed() { mailbox_.setups_changed(); }

QuotaReservation Admission::verdict(const std::string& key) const {
  return shown_.with([&](const Shown& shown) {
    QuotaReservation out;
    const auto found = shown.verdicts.find(key);
    if (found != shown.verdicts.end()) out = found->second;
    out.limited = shown.figures.limited;
    out.defaults = shown.defaults;
    return out;
  });
}

void Admission::run(const std::stop_token& stop) {
  Mail mail;
  while (!stop.stop_requested()) {
    Mail more = mailbox_.take(stop, next());
    mail.keys.merge(more.keys);
    for (auto& [key, owners] : more.keys) mail.keys[key].merge(owners);
    mail.setups = mail.setups || more.setups;
    if (!begun_ || !options_.enabled || stop.stop_requested()) continue;
    if (retry_ && clock_.now() < *retry_) continue;
    retry_.reset();
    if (const auto done = step(mail); !done) {
      failed(done.error());
      continue;
    }
    delay_ = {};
    mail = {};
    if (!ready_) {
      ready_ = true;
      hooks_.ready();
    }
  }
}

// What was decided may be written down or not. The next step reads the workspace again.
void Admission::failed(const Error& error) {
  loaded_ = false;
  errors_.add();
  delay_ = std::clamp(delay_ * 2, kFirstDelay, kLongestDelay);
  retry_ = clock_.now() + delay_;
  log::warning("Cannot decide which MiniClusters run, trying again",
               {{"error", error.message}, {"milliseconds", std::to_string(delay_.count())}});
}

std::optional<Admission::SteadyTime> Admission::next() const {
  if (retry_) return retry_;
  std::optional<SteadyTime> out;
  const auto at = [&](const std::optional<SteadyTime>& time) {
    if (time && (!out || *time < *out)) out = time;
  };
  at(opens_);
  at(clears_);
  if (untold_ && told_) at(*told_ + kTellEvery);
  if (const auto event = ledger_ ? ledger_->next(now()) : std::nullopt) {
    at(clock_.now() + (*event - now()));
  }
  return out;
}

Result<void> Admission::step(const Mail& mail) {
  if (!loaded_) {
    if (auto done = load(); !done) return done;
  } else if (mail.setups) {
    setups_ = setups_of(caches_.setups.all());
    if (auto done = apply_setups(); !done) return done;
  }
  if (opens_ && clock_.now() >= *opens_) {
    if (auto done = open(); !done) return done;
  }
  for (const auto& [key, owners] : mail.keys) evaluate(key, owners);
  if (ledger_) {
    ledger_->give_up(now());
    if (auto done = admit(); !done) return done;
  }
  tell();
  return report();
}

Result<void> Admission::load() {
  auto workspace = file_.take_over();
  if (!workspace) return std::unexpected(workspace.error());
  const bool was_limited = (ledger_ != nullptr) || !workspace->setup.empty();
  recorded_ = std::move(workspace->setup);
  ledger_.reset();
  setups_ = setups_of(caches_.setups.all());
  follows_ = was_limited || !setups_.empty();
  std::vector<std::string> keys;
  if (follows_) {
    for (const Entry& entry : workspace->entries) keys.push_back(entry.key);
    ledger_ = std::make_unique<Queue>(std::move(workspace->entries));
    evaluate_everything(keys);
  }
  if (auto done = apply_setups(); !done) return done;
  loaded_ = true;
  // A decision whose answer was lost may be written down.
  for (const std::string& key : keys) hooks_.told(key);
  return {};
}

Result<void> Admission::apply_setups() {
  untold_ = true;
  // Our own writes of the status change neither.
  if (std::string now = what_is_written(setups_); now != written_) {
    written_ = std::move(now);
    told_.reset();
    shown_.with([&](Shown& shown) {
      shown.figures.in_force = setups_.in_force ? 1 : 0;
      shown.figures.superseded = setups_.older.size();
      shown.figures.invalid = setups_.invalid.size();
    });
  }
  if (!setups_.empty()) return limit(setups_);
  if (ledger_) wait_for_another_setup();
  return {};
}

// The limits are written into the workspace before they count, so that the next leader knows that
// there were limits, whatever is deleted meanwhile.
Result<void> Admission::limit(const Setups& setups) {
  opens_.reset();
  const std::string name = setups.in_force ? setups.in_force->metadata.name : "(invalid)";
  if (name != recorded_) {
    if (auto done = file_.write({}, name); !done) return done;
    recorded_ = name;
    log::info("FluxSetup in force", {{"name", name}});
  }
  const bool is_new = ledger_ == nullptr;
  if (is_new) {
    follows_ = true;
    ledger_ = std::make_unique<Queue>();
  }
  const PriorityValues values = values_of(caches_.priority_classes.all());
  if (setups.in_force) {
    Policy rules = policy_of(setups.in_force->parsed, caches_.namespaces.all());
    if (auto done = publish(api::PublishedLimits{name, rules.limits.hard}); !done) return done;
    ledger_->set_policy(std::move(rules), values, "");
    shown_.with([&](Shown& shown) { shown.defaults = setups.in_force->flux_defaults; });
  } else {
    ledger_->set_policy(std::nullopt, values,
                        "Every FluxSetup is invalid, so nothing starts until one is corrected.");
  }
  if (is_new) {
    evaluate_everything({});
    tell_everyone();
  }
  return {};
}

Result<void> Admission::publish(std::optional<api::PublishedLimits> limits) {
  if (published_ && *published_ == limits) return {};
  published_.reset();
  if (auto done = publish_limits(client_, options_.ns, limits ? &*limits : nullptr); !done) {
    return done;
  }
  published_ = std::move(limits);
  return {};
}

void Admission::wait_for_another_setup() {
  if (!opens_) opens_ = clock_.now() + kWithoutSetup;
  ledger_->set_policy(std::nullopt, {},
                      "The FluxSetup was deleted. Without another one, everything starts within " +
                          std::to_string(kWithoutSetup.count()) + " seconds.");
}

// Entries under way need no care: their MiniClusters run anyway.
Result<void> Admission::open() {
  std::vector<std::string> entries;
  if (auto workspace = file_.take_over(); workspace) {
    for (const Entry& entry : workspace->entries) entries.push_back(entry.job);
  } else {
    return std::unexpected(workspace.error());
  }
  if (auto done = file_.write({.add = {}, .remove = entries}, ""); !done) return done;
  if (auto done = publish(std::nullopt); !done) return done;
  recorded_.clear();
  follows_ = false;
  ledger_.reset();
  owners_.clear();
  opens_.reset();
  clears_.reset();
  shown_.with([](Shown& shown) { shown = Shown(); });
  log::info("No FluxSetup limits MiniClusters any more");
  tell_everyone();
  return {};
}

void Admission::tell_everyone() {
  for (const std::string& key : caches_.clusters.keys()) hooks_.told(key);
}

void Admission::evaluate(const std::string& key, const std::set<std::string>& owners) {
  if (!ledger_) return;
  const auto observed = gather(caches_, key);
  std::set<std::string> all = owners;
  if (const auto known = owners_.find(key); known != owners_.end()) {
    all.insert(known->second.begin(), known->second.end());
  }
  if (observed) {
    all.insert(observed->cluster->metadata.uid);
    if (const Job* job = observed->find_job()) all.insert(job->metadata.uid);
  }
  PodsByOwner pods;
  for (const std::string& owner : all) {
    if (auto held = caches_.job_pods.holding(owner); !held.empty()) pods[owner] = std::move(held);
  }
  owners_.erase(key);
  for (const auto& [owner, unused] : pods) owners_[key].insert(owner);
  const bool was_told = ledger_->reservation(key).condition.has_value();
  ledger_->set(key, workload_of(observed ? &*observed : nullptr, pods, now()), now());
  untold_ = true;
  show({key});
  // A reconcile that was faster has written the condition of before.
  if (was_told && !ledger_->reservation(key).condition) hooks_.told(key);
}

// `others`: of MiniClusters that may be gone.
void Admission::evaluate_everything(const std::vector<std::string>& others) {
  std::map<std::string, std::set<std::string>> keys;
  for (const std::string& key : others) keys[key];
  for (const std::string& key : caches_.clusters.keys()) keys[key];
  for (const Shared<Pod>& pod : caches_.pods.all()) {
    const std::string key = cluster_key(caches_, *pod);
    if (!key.empty()) keys[key].insert(pod->metadata.owner.uid);
  }
  for (const auto& [key, owners] : keys) evaluate(key, owners);
}

// Decides, writes the decision down, and only then lets the reconciles know.
Result<void> Admission::admit() {
  const auto began = clock_.now();
  const Batch batch = ledger_->decide(now());
  decision_times_.observe(std::chrono::duration<double>(clock_.now() - began).count());
  if (batch.add.empty() && batch.remove.empty()) return {};
  if (batch.add.empty()) {
    if (!clears_) clears_ = began + kTellEvery;
    if (began < *clears_) return {};
  }
  clears_.reset();
  if (auto done = file_.write(batch, recorded_); !done) return done;
  untold_ = true;
  const auto changed = ledger_->written(batch, now());
  show(changed);
  for (const std::string& key : changed) {
    admitted_total_.add();
    if (const auto cluster = caches_.clusters.get(key)) {
      const auto made = cluster->metadata.created;
      if (made) wait_times_.observe(std::chrono::duration<double>(clock_.wall() - *made).count());
    }
    hooks_.told(key);
  }
  return {};
}

void Admission::tell() {
  if (!ledger_ || !untold_ || (told_ && clock_.now() < *told_ + kTellEvery)) return;
  const auto changed = ledger_->tell(now());
  show(changed);
  for (const std::string& key : changed) hooks_.told(key);
}

void Admission::show(const std::vector<std::string>& keys) {
  shown_.with([&](Shown& shown) {
    Figures& figures = shown.figures;
    figures.limited = true;
    figures.hard = ledger_->policy() ? ledger_->policy()->limits.hard : api::Amounts();
    figures.used.clear();
    for (const auto& [name, unused] : figures.hard) {
      const auto found = ledger_->usage().cluster().find(name);
      figures.used[name] =
          found == ledger_->usage().cluster().end() ? api::Quantity() : found->second;
    }
    figures.waiting = ledger_->waiting();
    figures.never_fit = ledger_->never_fit();
    figures.running = ledger_->admitted();
    for (const std::string& key : keys) {
      QuotaReservation verdict = ledger_->reservation(key);
      if (verdict == QuotaReservation{.limited = true, .job = "", .granted = 0, .condition = {}}) {
        shown.verdicts.erase(key);
      } else {
        shown.verdicts[key] = std::move(verdict);
      }
    }
  });
}

// At most once a second.
Result<void> Admission::report() {
  if (!untold_ || (told_ && clock_.now() < *told_ + kTellEvery)) return {};
  told_ = clock_.now();
  untold_ = false;
  const Counts counts =
      ledger_ ? Counts{ledger_->usage().cluster(), ledger_->admitted(), ledger_->waiting()}
              : Counts();
  return writer_.write(setups_, counts);
}

}  // namespace mc::controller::queueing
