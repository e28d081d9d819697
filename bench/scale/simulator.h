#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bench/scale/mix.h"
#include "common/base/json.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"

namespace mc::bench {

// What the simulator sees in an object.
enum class Phase { Waits, Runs, Evicted, Ended };

// How it treats the objects of one side.
struct SimulatorRules {
  kube::Resource resource;
  std::function<Phase(const json& object)> phase;
  // The write that begins a run, that ends one, and that completes an eviction. Empty: none.
  std::function<kube::Request(const json& object)> begin, end, evict;
  // Pods start only once there is a ConfigMap whose name begins with the member's and this.
  std::string config_map = "";
};

// Does what no node does here: ends each member of the mix (mix.h) once it has run for the time of
// its class. Blockers run until they are released.
class Simulator {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Sees what happens from now on. `transport` must outlive it.
  Simulator(kube::Transport& transport, SimulatorRules rules);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  // Wait until so many members, or blockers, run or have run. Throw after `limit`.
  void until_blocked(std::size_t blockers, std::chrono::seconds limit);
  // Ends the blockers. Returns when it began.
  Time release();
  // Waits until so many members have ended. Returns when the last one was admitted.
  Time until_ended(std::size_t members, std::chrono::seconds limit);

  std::size_t evictions();
  // How many writes it has sent.
  std::size_t sent();

 private:
  struct Due {
    Time at;
    kube::Request request;
    std::string key;
    enum class What { Begin, End, Evict } what;
    int run;  // of the member
    bool operator<(const Due& other) const { return at > other.at; }
  };
  struct State {
    const Class* of = nullptr;
    Phase phase = Phase::Waits;
    int run = 0;  // counts its admissions
    bool has_scripts = false, has_begun = false;
    std::optional<kube::Request> end = std::nullopt;  // once it is admitted, until its pods run
  };

  void take(const json& object);
  void take_config_map(const json& object);
  void admit(const std::string& key, State& state, const json& object);
  void run_if_ready(const std::string& key, State& state);
  void fail(const std::string& why);
  void act(const std::stop_token& stop);
  void send(const Due& due);
  void wait_for(const std::function<bool()>& done, std::chrono::seconds limit);

  kube::Transport& transport_;
  const SimulatorRules rules_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::unordered_map<std::string, State> states_;
  std::priority_queue<Due> due_;
  std::vector<Due> blockers_;
  std::size_t ended_ = 0, evictions_ = 0, sent_ = 0;
  Time last_admission_;
  std::string failure_;

  std::vector<std::jthread> threads_;  // last: they use the others
};

}  // namespace mc::bench
