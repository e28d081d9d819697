#pragma once
#include <sys/types.h>

#include <list>
#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"

namespace mc::stand_in {

using Environment = std::map<std::string, std::string>;

Environment own_environment();

// Starts a program in its own process group, with standard input from `in` and output to `out` and
// `err`. Errors: NotFound, or Unavailable with the reason.
struct Start {
  std::vector<std::string> argv;
  Environment environment;
  std::string folder;  // working directory; "": the current one
  int in = 0, out = 1, err = 2;
};
[[nodiscard]] Result<pid_t> start_process(const Start& start);

// The exit code of a process as a shell reports it: 128 + the signal's number if a signal ended it.
int exit_code(int wait_status);

// The tasks that a broker runs for jobs. A task is {job, task, argv, env, cwd}; its events are
// {job, task, stream: 1 or 2, data: a line} and finally {job, task, code}.
class Tasks {
 public:
  Tasks() = default;
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks();  // kills running tasks

  void start(const json& task);

  // Reads output and reaps ended tasks. Does not block.
  std::vector<json> events();
  // The descriptors to poll. The end of a task arrives as SIGCHLD.
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
