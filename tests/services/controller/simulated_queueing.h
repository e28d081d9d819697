#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/observe/metrics.h"
#include "services/controller/cache/caches.h"
#include "services/controller/queueing/loop.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// The real queueing::Loop without its thread, with a namespace of its own for what it writes: an
// admin changes FluxSetups, requests fail, and another process takes over. No watch of FluxSetups
// lags.
class SimulatedQueueing {
 public:
  // For MiniClusters of these namespaces. The timeline must outlive it.
  SimulatedQueueing(std::uint64_t seed, Timeline& timeline,
                    const std::vector<std::string>& namespaces);

  // `told`: the MiniCluster has a new reservation.
  void follow(const std::string& key, std::function<void()> told);

  // The admin creates, changes, breaks or deletes a FluxSetup.
  void change_setup();
  void put_setup(const std::string& name, const json& spec);
  void remove_setup(const std::string& name) { world.remove("FluxSetup", name); }

  // As Controller does. `owner`: of the pod that changed.
  void changed(const std::string& key, const std::string& owner);
  // A turn of the loop. `unreliable`: requests may fail, and processes may change.
  void step(bool unreliable);
  // Another process leads, with what is written.
  void take_over();
  // Sets the wall clock of the leading process, and of the next ones, forward by `ahead`.
  void jump(std::chrono::seconds ahead) { clock_.ahead += ahead; }

  // Before, nobody reconciles.
  bool ready() const { return process_->loop.ready(); }
  QuotaReservation reservation(const std::string& key) const;
  queueing::LoopContents contents() const { return process_->loop.contents(10); }
  // When a turn is due without a change; nothing: never.
  std::optional<Time> next() const;
  // Grows whenever somebody is told something, or something is written.
  std::uint64_t version() const { return told_ + world.version(); }

  bool limited() const { return process_->loop.queue() != nullptr; }
  // Of this leader.
  std::string metrics() const { return process_->registry.text(); }
  // Null while nothing starts.
  const queueing::Policy* policy() const;
  // What is written down, by the uid of the Job.
  std::map<std::string, queueing::Entry> log() const;
  // They are admitted: log() has them, too.
  std::function<void(const std::vector<queueing::Entry>& added)> on_admitted = [](auto&) {};

  Caches caches;  // of all that are followed
  World world;    // with FluxSetups, and what the loop writes
  // Happens during many requests of an unreliable step. It may not change what is used: the write
  // of a decision is compared with the limits when it is made.
  std::function<void()> meanwhile = [] {};

 private:
  struct JumpingClock final : Clock {
    explicit JumpingClock(const Clock& timelines) : of_timeline(timelines) {}
    std::chrono::steady_clock::time_point now() const override { return of_timeline.now(); }
    std::chrono::system_clock::time_point wall() const override {
      return of_timeline.wall() + ahead;
    }
    const Clock& of_timeline;
    std::chrono::seconds ahead{0};
  };
  struct Process {
    Process(const SimulatedQueueing& of, queueing::LoopHooks hooks, const std::string& name);
    observe::Registry registry{"test"};
    queueing::Loop loop;
  };

  std::size_t pick(std::size_t count) { return random_() % count; }
  bool chance(std::size_t percent) { return pick(100) < percent; }
  json random_spec();
  void watch(const json& before, const json& after);
  int refuse(const kube::Request& request);
  void judge_write(const Write& write) const;
  void tell(const std::string& key);

  std::mt19937_64 random_;
  Timeline& timeline_;
  JumpingClock clock_{timeline_.clock()};
  const kube::Client client_{world};
  const kube::EventSource reporter_{"minicluster-controller", "test"};
  std::map<std::string, std::function<void()>> members_;
  std::uint64_t told_ = 0;
  int processes_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace mc::controller::test
