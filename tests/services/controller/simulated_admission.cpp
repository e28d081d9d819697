#include "tests/services/controller/simulated_admission.h"

#include <chrono>
#include <set>
#include <utility>

#include "services/controller/cache/gather.h"
#include "services/controller/queueing/workload.h"

namespace mc::controller::test {
namespace {

using queueing::Batch;
using queueing::Entry;
using queueing::Policy;
using queueing::Queue;

// As in Admission.
constexpr std::chrono::seconds kUntilOpen{60};

// All pods that were made for the MiniCluster, also for those of its name that are gone.
queueing::PodsByOwner holding_pods(const Caches& caches, const std::string& key) {
  std::set<std::string> owners;
  for (const Shared<Pod>& pod : caches.pods.all()) {
    if (cluster_key(caches, *pod) == key) owners.insert(pod->metadata.owner.uid);
  }
  queueing::PodsByOwner out;
  for (const std::string& owner : owners) {
    if (auto held = caches.job_pods.holding(owner); !held.empty()) out[owner] = std::move(held);
  }
  return out;
}

}  // namespace

Time SimulatedAdmission::now() const {
  return std::chrono::floor<std::chrono::seconds>(timeline_.clock().wall());
}

Policy SimulatedAdmission::random_rules() {
  Policy out;
  out.setup = "site";
  out.limits.strategy =
      chance(50) ? queueing::Strategy::StrictFIFO : queueing::Strategy::BestEffortFIFO;
  const auto limit = [&](std::string_view name, std::size_t least, std::size_t most) {
    const std::size_t hard = least + pick(most - least + 1);
    out.limits.hard[std::string(name)] = api::Quantity(static_cast<std::int64_t>(hard));
  };
  if (chance(80)) limit(queueing::kPodCount, 2, 9);
  if (chance(50)) limit(queueing::kMiniClusterCount, 1, 3);
  return out;
}

void SimulatedAdmission::change_setup() {
  if (has_setup_ && chance(20)) {
    timeline_.note("the admin deletes the FluxSetup");
    has_setup_ = false;
  } else if (chance(15)) {
    timeline_.note("the admin writes an invalid FluxSetup");
    has_setup_ = true;
    setup_.reset();
  } else {
    has_setup_ = true;
    setup_ = random_rules();
    std::string what = setup_->limits.strategy == queueing::Strategy::StrictFIFO
                           ? "the admin writes a FluxSetup, StrictFIFO"
                           : "the admin writes a FluxSetup, BestEffortFIFO";
    for (const auto& [name, hard] : setup_->limits.hard) what += " " + name + " " + hard.str();
    timeline_.note(what);
  }
}

void SimulatedAdmission::step(bool unreliable) {
  if (has_failed_ && unreliable) return;  // it tries again later
  if (has_failed_ || (unreliable && chance(5))) take_over();
  apply_setup();
  if (!ledger_) return;
  evaluate();
  ledger_->give_up(now());
  admit(unreliable);
  if (!has_failed_) tell(ledger_->tell(now()));
}

// By the leader that has lost track. (Another one would reconcile everyone.)
void SimulatedAdmission::take_over() {
  timeline_.note("a leader reads the workspace");
  has_failed_ = false;
  opens_.reset();
  if (!ledger_) return;
  std::vector<Entry> entries;
  std::vector<std::string> keys;
  for (const auto& [uid, entry] : workspace_) {
    entries.push_back(entry);
    keys.push_back(entry.key);
  }
  ledger_ = std::make_unique<Queue>(std::move(entries));
  evaluate();
  tell(keys);
}

void SimulatedAdmission::apply_setup() {
  if (has_setup_) {
    opens_.reset();
    if (!ledger_) begin();
    return ledger_->set_policy(setup_, {}, "The FluxSetup is invalid.");
  }
  if (!ledger_) return;
  if (!opens_) opens_ = now() + kUntilOpen;
  if (*opens_ <= now()) return open();
  ledger_->set_policy(std::nullopt, {}, "The FluxSetup was deleted.");
}

void SimulatedAdmission::begin() {
  ledger_ = std::make_unique<Queue>();
  tell_everyone();
}

void SimulatedAdmission::open() {
  timeline_.note("no FluxSetup limits anything any more");
  workspace_.clear();
  ledger_.reset();
  opens_.reset();
  tell_everyone();
}

void SimulatedAdmission::evaluate() {
  for (const Member& member : members_) evaluate(member);
}

void SimulatedAdmission::evaluate(const Member& member) {
  const bool was_told = ledger_->reservation(member.key).condition.has_value();
  const auto observed = gather(*member.caches, member.key);
  ledger_->set(member.key,
               queueing::workload_of(observed ? &*observed : nullptr,
                                     holding_pods(*member.caches, member.key), now()),
               now());
  if (was_told && !ledger_->reservation(member.key).condition) tell({member.key});
}

void SimulatedAdmission::admit(bool unreliable) {
  const Batch batch = ledger_->decide(now());
  if (batch.add.empty() && (batch.remove.empty() || (unreliable && chance(50)))) return;
  if (write_down(batch, unreliable)) return tell(ledger_->written(batch, now()));
  has_failed_ = true;
}

// False without an answer: then it may be written down or not.
bool SimulatedAdmission::write_down(const Batch& batch, bool unreliable) {
  const std::size_t luck = unreliable ? pick(100) : 99;
  if (luck < 15) return false;
  for (const std::string& uid : batch.remove) workspace_.erase(uid);
  for (const Entry& entry : batch.add) {
    timeline_.note(entry.key + " is admitted with " + std::to_string(entry.size) + " pods");
    workspace_[entry.job] = entry;
  }
  if (!batch.add.empty()) on_admitted(batch.add);
  return luck >= 30;
}

void SimulatedAdmission::tell(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    ++version_;
    for (const Member& member : members_) {
      if (member.key == key) member.told();
    }
  }
}

void SimulatedAdmission::tell_everyone() {
  for (const Member& member : members_) tell({member.key});
}

QuotaReservation SimulatedAdmission::verdict(const std::string& key) const {
  return ledger_ ? ledger_->reservation(key) : QuotaReservation();
}

std::optional<Time> SimulatedAdmission::next() const {
  if (!ledger_) return std::nullopt;
  const auto due = ledger_->next(now());
  return !due || (opens_ && *opens_ < *due) ? opens_ : due;
}

const Policy* SimulatedAdmission::rules() const {
  const bool decides = ledger_ && ledger_->policy();
  return decides ? &*ledger_->policy() : nullptr;
}

}  // namespace mc::controller::test
