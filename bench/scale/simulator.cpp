#include "bench/scale/simulator.h"

#include <stdexcept>
#include <utility>

#include "bench/scale/mix.h"
#include "common/kube/client.h"
#include "common/kube/object.h"
#include "tests/support/must.h"

namespace mc::bench {
namespace {

using std::chrono::steady_clock;

constexpr int kConnections = 8;

// Follows the objects of a resource, in any namespace, from now on. The API server ends a watch
// after some minutes; the next one goes on from there.
std::jthread watched(kube::Transport& transport, const kube::Resource& resource, bool metadata_only,
                     std::function<void(const json& object)> take,
                     const std::function<void(const std::string& why)>& failed) {
  const json page = test::must(kube::Client(transport).send(
      kube::request::list(resource, "", {.limit = 1, .metadata_only = true})));
  std::string version = kube::metadata_text(page, "resourceVersion");
  return std::jthread([=, &transport](const std::stop_token& stop) mutable {
    while (!stop.stop_requested()) {
      const auto request = kube::request::watch(
          resource, "", {.resource_version = version, .metadata_only = metadata_only});
      const auto result = transport.stream(request, stop, [&](std::string_view line) {
        const json event = json::parse(line, nullptr, false);
        const json& object = at_path(event, {"object"});
        version = kube::metadata_text(object, "resourceVersion");
        take(object);
        return true;
      });
      if (!result) return failed(result.error().message);
    }
  });
}

}  // namespace

Simulator::Simulator(kube::Transport& transport, SimulatorRules rules)
    : transport_(transport), rules_(std::move(rules)) {
  const auto follow = [this](const kube::Resource& resource, bool metadata_only, auto taker) {
    threads_.push_back(watched(
        transport_, resource, metadata_only,
        [this, taker](const json& one) { (this->*taker)(one); },
        [this](const std::string& why) { fail(why); }));
  };
  follow(rules_.resource, false, &Simulator::take);
  if (!rules_.config_map.empty()) follow(kube::kConfigMaps, true, &Simulator::take_config_map);
  for (int i = 0; i < kConnections; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { act(stop); });
  }
}

Simulator::~Simulator() {
  for (std::jthread& one : threads_) one.request_stop();
}

void Simulator::fail(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  failure_ = why;
  changed_.notify_all();
}

void Simulator::take(const json& object) {
  const std::string name = kube::metadata_text(object, "name");
  const Class* const of = class_of(name);
  if (of == nullptr) return;
  const Phase phase = rules_.phase(object);
  const std::string key = kube::metadata_text(object, "namespace") + "/" + name;
  const std::scoped_lock lock(mutex_);
  State& state = states_[key];
  if (state.phase == phase) return;
  state.phase = phase;
  state.of = of;
  if (phase == Phase::Runs) admit(key, state, object);
  if (phase == Phase::Evicted) {
    ++evictions_;
    ++state.run;
    due_.push({steady_clock::now(), rules_.evict(object), key, Due::What::Evict, state.run});
  }
  if (phase == Phase::Ended && of != &kBlocker) ++ended_;
  changed_.notify_all();
}

void Simulator::admit(const std::string& key, State& state, const json& object) {
  const Time now = steady_clock::now();
  if (state.of != &kBlocker) last_admission_ = now;
  ++state.run;
  state.has_begun = !rules_.begin;
  if (rules_.begin) due_.push({now, rules_.begin(object), key, Due::What::Begin, state.run});
  state.end = rules_.end(object);  // after the begin: both have the time, and it must not go back
  run_if_ready(key, state);
}

// It may be seen before the Job.
void Simulator::take_config_map(const json& object) {
  const std::string name = kube::metadata_text(object, "name");
  const std::size_t end = name.find(rules_.config_map);
  if (end == std::string::npos) return;
  const std::string key = kube::metadata_text(object, "namespace") + "/" + name.substr(0, end);
  const std::scoped_lock lock(mutex_);
  State& state = states_[key];
  state.has_scripts = true;
  run_if_ready(key, state);
}

// Its pods run from now on, if nothing is missing.
void Simulator::run_if_ready(const std::string& key, State& state) {
  const bool has_scripts = state.has_scripts || rules_.config_map.empty();
  if (!state.end || !state.has_begun || !has_scripts) return;
  Due due{steady_clock::now() + state.of->runtime, *std::move(state.end), key, Due::What::End,
          state.run};
  state.end.reset();
  if (state.of == &kBlocker) {
    blockers_.push_back(std::move(due));
  } else {
    due_.push(std::move(due));
  }
  changed_.notify_all();
}

void Simulator::act(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (due_.empty()) {
      changed_.wait(lock, stop, [this] { return !due_.empty(); });
      continue;
    }
    const Time next = due_.top().at;
    if (next > steady_clock::now()) {
      changed_.wait_until(lock, stop, next, [&] { return due_.empty() || due_.top().at < next; });
      continue;
    }
    const Due due = due_.top();
    due_.pop();
    if (states_[due.key].run != due.run) continue;  // it was preempted
    ++sent_;
    lock.unlock();
    send(due);
    lock.lock();
  }
}

// A conflict: it has changed meanwhile, and the watch tells what to do next.
void Simulator::send(const Due& due) {
  constexpr int kConflict = 409;
  const auto answer = transport_.send(due.request);
  if (answer && answer->status < 300) {
    if (due.what != Due::What::Begin) return;
    const std::scoped_lock lock(mutex_);
    State& state = states_[due.key];
    state.has_begun = true;
    return run_if_ready(due.key, state);
  }
  if (answer && answer->status == kConflict) return;
  fail(due.request.what + ": " + (answer ? answer->body : answer.error().message));
}

void Simulator::wait_for(const std::function<bool()>& done, std::chrono::seconds limit) {
  std::unique_lock lock(mutex_);
  const bool came = changed_.wait_for(lock, limit, [&] { return done() || !failure_.empty(); });
  if (!failure_.empty()) throw std::runtime_error("the simulator: " + failure_);
  if (!came) {
    throw std::runtime_error("after " + std::to_string(limit.count()) + " s only " +
                             std::to_string(ended_) + " have ended");
  }
}

void Simulator::until_blocked(std::size_t blockers, std::chrono::seconds limit) {
  wait_for([&] { return blockers_.size() >= blockers; }, limit);
}

Simulator::Time Simulator::release() {
  const Time now = steady_clock::now();
  const std::scoped_lock lock(mutex_);
  for (Due& one : blockers_) {
    one.at = now;
    due_.push(std::move(one));
  }
  blockers_.clear();
  changed_.notify_all();
  return now;
}

Simulator::Time Simulator::until_ended(std::size_t members, std::chrono::seconds limit) {
  wait_for([&] { return ended_ >= members; }, limit);
  const std::scoped_lock lock(mutex_);
  return last_admission_;
}

std::size_t Simulator::sent() {
  const std::scoped_lock lock(mutex_);
  return sent_;
}

std::size_t Simulator::evictions() {
  const std::scoped_lock lock(mutex_);
  return evictions_;
}

}  // namespace mc::bench
