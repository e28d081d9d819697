#include "tests/services/controller/simulated_queueing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "common/base/json.h"
#include "tests/services/controller/actors.h"
#include "tests/services/controller/late_watches.h"

namespace mc::controller::test {
namespace {

// Of its namespace: no tenant has so many neighbours.
constexpr unsigned kNumber = 99;

std::vector<queueing::Entry> entries(const json& config_map) {
  return queueing::read_log(config_map).entries;
}

}  // namespace

SimulatedQueueing::Process::Process(const SimulatedQueueing& of, queueing::LoopHooks hooks,
                                    const std::string& name)
    : loop(of.client_, of.clock_, registry, of.caches, of.reporter_,
           {.enabled = true, .ns = of.world.ns(), .instance = name}, std::move(hooks)) {}

SimulatedQueueing::SimulatedQueueing(std::uint64_t seed, Timeline& timeline,
                                     const std::vector<std::string>& namespaces)
    : caches(namespaces), world(seed, timeline, kNumber), random_(seed), timeline_(timeline) {
  for (const std::string& name : namespaces) {
    put(caches.namespaces, {{"kind", "Namespace"}, {"metadata", {{"name", name}}}});
  }
  put(caches.priority_classes,
      {{"kind", "PriorityClass"}, {"metadata", {{"name", kUrgent}}}, {"value", 10}});
  caches.setups.listen([this](const auto&) { process_->loop.setups_changed(); });
  world.on_change.emplace_back(
      [this](const json& before, const json& after) { watch(before, after); });
  world.on_write.emplace_back([this](const Write& write) { judge_write(write); });
  world.refuse = [this](const kube::Request& request) { return refuse(request); };
  take_over();
  step(false);
}

// There are few admissions, so more of them fail than of other writes.
int SimulatedQueueing::refuse(const kube::Request& request) {
  if (!world.unreliable) return 0;
  if (chance(50)) meanwhile();
  const bool is_admission =
      request.method != "GET" && request.path.contains(queueing::kAdmissionLog);
  return is_admission && chance(15) ? 500 : 0;
}

void SimulatedQueueing::watch(const json& before, const json& after) {
  const json& any = after.is_null() ? before : after;
  if (text_at(any, {"kind"}) != "FluxSetup") return;
  const auto object = std::make_shared<const json>(any);
  caches.setups.take(after.is_null() ? kube::WatchEvent(kube::Deleted{object})
                                     : kube::WatchEvent(kube::Applied{object}));
}

void SimulatedQueueing::judge_write(const Write& write) const {
  if (write.name != queueing::kAdmissionLog) return;
  const auto before = entries(write.before);
  std::vector<queueing::Entry> added;
  for (const queueing::Entry& entry : entries(write.after)) {
    if (std::ranges::find(before, entry) == before.end()) added.push_back(entry);
  }
  if (!added.empty()) on_admitted(added);
}

void SimulatedQueueing::follow(const std::string& key, std::function<void()> told) {
  members_[key] = std::move(told);
}

json SimulatedQueueing::random_spec() {
  constexpr std::array kStrategies = {"StrictFIFO", "BestEffortFIFO", "EASYBackfill"};
  json out = {{"queueingStrategy", kStrategies.at(pick(kStrategies.size()))}};
  const auto limit = [&](std::string_view name, std::size_t least, std::size_t most) {
    out["hard"][std::string(name)] = std::to_string(least + pick(most - least + 1));
  };
  if (chance(80)) limit(queueing::kPodCount, 2, 6);
  if (chance(50)) limit(queueing::kMiniClusterCount, 1, 3);
  if (chance(80)) out["namespaces"] = {{{"priorityClassNames", {kUrgent}}}};
  return out;
}

void SimulatedQueueing::put_setup(const std::string& name, const json& spec) {
  timeline_.note("the admin writes the FluxSetup " + name + " " + spec.dump());
  json object = {{"kind", "FluxSetup"}, {"metadata", {{"name", name}}}};
  if (const json* there = world.find("FluxSetup", name)) object = *there;
  object["spec"] = spec;
  world.put(std::move(object));
}

void SimulatedQueueing::change_setup() {
  const std::string name = chance(80) ? "site" : "other";
  if (world.find("FluxSetup", name) != nullptr && chance(20)) {
    timeline_.note("the admin deletes the FluxSetup " + name);
    remove_setup(name);
  } else {
    put_setup(name, chance(15) ? json({{"hard", {{"cpu", "-1"}}}}) : random_spec());
  }
}

void SimulatedQueueing::changed(const std::string& key, const std::string& owner) {
  process_->loop.changed(key, owner);
}

void SimulatedQueueing::step(bool unreliable) {
  if (unreliable && chance(5)) take_over();
  world.unreliable = unreliable;
  process_->loop.turn();
  world.unreliable = false;
}

void SimulatedQueueing::take_over() {
  const std::string name = "process-" + std::to_string(++processes_);
  timeline_.note(name + " leads");
  queueing::LoopHooks hooks{.ready =
                                [this] {
                                  for (const auto& [key, unused] : members_) tell(key);
                                },
                            .told = [this](const std::string& key) { tell(key); }};
  process_ = std::make_unique<Process>(*this, std::move(hooks), name);
  process_->loop.begin();
}

void SimulatedQueueing::tell(const std::string& key) {
  ++told_;
  if (const auto member = members_.find(key); member != members_.end()) member->second();
}

QuotaReservation SimulatedQueueing::reservation(const std::string& key) const {
  return process_->loop.reservation(key);
}

std::optional<Time> SimulatedQueueing::next() const {
  const auto due = process_->loop.next();
  if (!due) return std::nullopt;
  const Clock& clock = timeline_.clock();
  return std::chrono::ceil<std::chrono::seconds>(clock.wall() + (*due - clock.now()));
}

const queueing::Policy* SimulatedQueueing::policy() const {
  const bool decides = limited() && process_->loop.queue()->policy();
  return decides ? &*process_->loop.queue()->policy() : nullptr;
}

std::map<std::string, queueing::Entry> SimulatedQueueing::log() const {
  std::map<std::string, queueing::Entry> out;
  const json* there = world.find("ConfigMap", queueing::kAdmissionLog);
  if (there == nullptr) return out;
  for (const queueing::Entry& entry : entries(*there)) out[entry.job] = entry;
  return out;
}

}  // namespace mc::controller::test
