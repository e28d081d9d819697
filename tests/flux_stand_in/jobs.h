#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"

// The lead's jobs: what is submitted, where its tasks run, and who is told of it.
namespace mc::stand_in {

// A sub-command that waits for an answer, on the machine of a broker.
struct Client {
  std::size_t rank;
  int number;
  auto operator<=>(const Client&) const = default;
};

class Jobs {
 public:
  // How the rest of the broker is reached.
  struct Links {
    std::function<void(std::size_t rank, const json& task)> start;
    std::function<void(const Client& client, const json& answer)> answer;
  };

  Jobs(Links links, std::size_t size, int cores)
      : links_(std::move(links)), size_(size), cores_(cores) {}

  // False: no request about jobs.
  bool request(const Client& client, const json& request);
  // What Tasks says, here or elsewhere.
  void event(const json& event);
  // Starts what can start on these ranks.
  void schedule(const std::set<std::size_t>& online);
  // Its tasks there are lost.
  void lost(std::size_t rank);

 private:
  enum class State { Pending, Running, Done };
  struct Job {
    json request;
    State state = State::Pending;
    std::map<std::int64_t, std::size_t> tasks;  // that run, and on which rank
    std::vector<json> log;
    std::set<Client> watchers;
    int code = 0;
  };
  struct Waiter {
    Client client;
    std::set<std::int64_t> jobs;
    int code = 0;
    json failed;
  };

  std::int64_t submit(const json& request);
  void watch(const Client& client, std::int64_t id);
  void wait(const Client& client, const json& request);
  json list(const std::string& parent) const;
  std::set<std::int64_t> of(const json& request) const;
  // The rank of each task; empty: not yet. Says why where it can never be.
  std::vector<std::size_t> placed(const Job& job, const std::set<std::size_t>& online,
                                  std::string& never) const;
  void start_everywhere(std::int64_t id, Job& job, const std::set<std::size_t>& online);
  void start(std::int64_t id, Job& job, const std::vector<std::size_t>& ranks);
  // `stream` 1 or 2: of a task; 0: of Flux itself, to the standard error whatever files it has.
  void say(Job& job, int stream, const std::string& data);
  void finish(std::int64_t id, Job& job);

  Links links_;
  std::size_t size_;
  int cores_;
  std::int64_t next_ = 1;
  std::map<std::int64_t, Job> jobs_;
  std::vector<Waiter> waiters_;
};

}  // namespace mc::stand_in
