#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "services/controller/cache/caches.h"
#include "services/controller/queueing/queue.h"
#include "tests/services/controller/world.h"

namespace mc::controller::test {

// The limits of a FluxSetup: an admin who changes them, and a leader that decides, as Admission
// does, with the real Queue about the MiniClusters that it sees. What it writes down may fail, and
// another leader may take over. No watch of FluxSetups lags.
class SimulatedAdmission {
 public:
  struct Member {
    std::string key;  // of the MiniCluster
    const Caches* caches;
    std::function<void()> told;  // there is a new verdict
  };

  // The timeline must outlive it.
  SimulatedAdmission(std::uint64_t seed, Timeline& timeline) : random_(seed), timeline_(timeline) {}
  void follow(Member member) { members_.push_back(std::move(member)); }

  // The admin creates, changes, breaks or deletes the FluxSetup.
  void change_setup();
  // The leader looks at everything, decides, and writes that down. `unreliable`: writes may fail,
  // and leaders may change.
  void step(bool unreliable);

  QuotaReservation verdict(const std::string& key) const;
  // When something happens without an event; nothing: never.
  std::optional<Time> next() const;
  // Grows whenever somebody is told something.
  std::uint64_t version() const { return version_; }

  bool limited() const { return ledger_ != nullptr; }
  // Null while nothing starts.
  const queueing::Policy* rules() const;
  // What is written down, by the uid of the Job.
  const std::map<std::string, queueing::Entry>& workspace() const { return workspace_; }
  // They are admitted: workspace() has them, too.
  std::function<void(const std::vector<queueing::Entry>& added)> on_admitted = [](auto&) {};

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  bool chance(std::size_t percent) { return pick(100) < percent; }
  Time now() const;

  queueing::Policy random_rules();
  void take_over();
  void apply_setup();
  void begin();
  void open();
  void evaluate();
  void evaluate(const Member& member);
  void admit(bool unreliable);
  bool write_down(const queueing::Batch& batch, bool unreliable);
  void tell(const std::vector<std::string>& keys);
  void tell_everyone();

  std::mt19937_64 random_;
  Timeline& timeline_;
  std::vector<Member> members_;

  // In the API server.
  bool has_setup_ = false;
  std::optional<queueing::Policy> setup_;  // nothing: it is invalid
  std::map<std::string, queueing::Entry> workspace_;

  // Of the leader.
  std::unique_ptr<queueing::Queue> ledger_;
  std::optional<Time> opens_;  // the FluxSetup is gone
  bool has_failed_ = false;    // what it knows of the workspace may be wrong
  std::uint64_t version_ = 0;
};

}  // namespace mc::controller::test
