#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/flux_stand_in/config.h"
#include "tests/flux_stand_in/jobs.h"
#include "tests/flux_stand_in/local_socket.h"
#include "tests/flux_stand_in/overlay.h"
#include "tests/flux_stand_in/tasks.h"

namespace mc::stand_in {

// What a broker knows before it opens a connection.
struct BrokerOptions {
  Config config;
  std::map<std::string, std::string> attributes;  // -SNAME=VALUE
  std::vector<std::string> program;               // of rank 0; empty: runs until shut down

  // "" if it is not set.
  std::string attribute(const std::string& name) const;
};

// One broker, in one thread. Rank 0 accepts the others, runs its program once the quorum is online,
// and exits with its code; the others run tasks until rank 0 is done.
class Broker {
 public:
  // `signals`: a signalfd of SIGTERM, SIGINT, SIGHUP and SIGCHLD.
  Broker(BrokerOptions options, Overlay overlay, int signals);

  // Runs the broker and returns its exit code.
  int run();

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { Join, Run, Shutdown };
  struct Peer {
    std::string name;  // of the connection
    std::string id;    // of the broker's process
  };

  bool leads() const { return options_.config.rank == 0; }
  void end(int code) { code_ = code, done_ = true; }

  void read_signals();
  void told_to_end();
  void take_tasks();
  void take_messages();
  void take_requests();
  void tick();
  void start_task(const json& task);
  bool listen();

  // Rank 0.
  void from_follower(const Overlay::Message& message);
  void hello(const Overlay::Message& message);
  void gone(std::size_t rank);
  void request(int client, const json& request);
  std::size_t quorum() const;
  std::set<std::size_t> online() const;
  void start_program();
  void shut_down(int code);

  // The others.
  void from_lead(const json& message);
  void to_lead(const char* type, json message = json::object());

  BrokerOptions options_;
  Overlay overlay_;
  int signals_;
  std::string socket_;
  LocalSocket local_;
  Tasks tasks_;
  std::string id_;  // of this process
  State state_ = State::Join;
  std::map<std::size_t, Peer> peers_;
  Jobs jobs_;
  std::optional<pid_t> program_;
  Time deadline_;
  Time beat_;
  int code_ = 0;
  bool done_ = false;
};

// Runs `flux broker ARGUMENTS...` to its end.
int run_broker(const std::vector<std::string>& arguments);

// `flux start [-o] ARGUMENTS...`: executes `flux broker ARGUMENTS...`. Returns only on failure.
int exec_start(const std::vector<std::string>& arguments);

}  // namespace mc::stand_in
