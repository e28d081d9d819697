#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"

// The lead's jobs: what is submitted, where its tasks run, and which clients are notified.
namespace mc::stand_in {

class Jobs {
 public:
  // Callbacks into the broker. `client`: a subcommand that waits for answers.
  struct Links {
    std::function<void(std::size_t rank, const json& task)> start;
    std::function<void(int client, const json& answer)> answer;
  };

  Jobs(Links links, std::size_t size) : links_(std::move(links)), size_(size) {}

  // Returns false for a request that is not about jobs.
  bool request(int client, const json& request);
  // Handles an event of Tasks, of this broker or of another.
  void event(const json& event);
  // Starts the jobs that can start on these ranks.
  void schedule(const std::set<std::size_t>& online);
  // The tasks on this rank are lost.
  void lost(std::size_t rank);

 private:
  enum class State { Pending, Running, Done };
  struct Job {
    json request;
    State state = State::Pending;
    std::map<std::int64_t, std::size_t> tasks;  // running task -> rank
    std::vector<json> log;
    std::set<int> watchers;
    int code = 0;
  };

  std::int64_t submit(const json& request);
  void watch(int client, Job& job);
  void start_everywhere(std::int64_t id, Job& job, const std::set<std::size_t>& online);
  void start(std::int64_t id, Job& job, const std::vector<std::size_t>& ranks);
  void say(Job& job, int stream, const std::string& data);
  void finish(Job& job);

  Links links_;
  std::size_t size_;
  std::int64_t next_ = 1;
  std::map<std::int64_t, Job> jobs_;
};

}  // namespace mc::stand_in
