#pragma once
#include <sys/types.h>

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"

namespace mc::stand_in {

using Environment = std::map<std::string, std::string>;

Environment own_environment();

// Starts a program in a process group of its own, with standard input from `in` and output to
// `out` and `err`. NotFound, or Unavailable with the reason.
struct Start {
  std::vector<std::string> argv;
  Environment environment;
  std::string folder;  // working directory; "": ours
  int in = 0, out = 1, err = 2;
};
[[nodiscard]] Result<pid_t> start_process(const Start& start);

// The code of a process as a shell has it: 128 + the signal's number where one ended it.
int exit_code(int wait_status);

// What a broker runs for jobs. Tasks are {job, task, argv, env, cwd};
// what comes of them are events {job, task, stream: 1 or 2, data: a line} and at last {job, task,
// code}.
class Tasks {
 public:
  Tasks() = default;
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks();  // kills what still runs

  void start(const json& task);

  // Reads outputs and collects ends; does not block.
  std::vector<json> events();
  // To wait for in a poll; ends come as SIGCHLD.
  std::vector<int> fds() const;

 private:
  struct Output {
    int fd = -1;
    std::string partial;
  };
  struct Task {
    json key;  // {job, task}
    pid_t pid = -1;
    Output outputs[2];
  };
  void read(const json& key, int stream, Output& output, bool to_the_end);

  std::list<Task> running_;
  std::vector<json> events_;
};

}  // namespace mc::stand_in
