#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/first_output/moment.h"
#include "common/base/json.h"

// What the parts of the cluster write about themselves, with their own times.
namespace mc::bench {

// The lines that a program appends to a file after the last call.
class NewLines {
 public:
  // Skips what is there already.
  explicit NewLines(std::filesystem::path file);
  std::vector<std::string> read();

 private:
  std::filesystem::path file_;
  std::uintmax_t offset_;
};

// A write that the API server has answered, from its audit log.
struct Write {
  Moment received = 0, answered = 0;
  std::string verb, resource, subresource, ns, name, user;
};
std::vector<Write> parse_audit(const std::vector<std::string>& lines);

// The start or end of a container or sandbox, from containerd's events (`ctr events`).
struct Task {
  Moment at = 0;
  bool ended = false;
  std::string container;  // its id
};
std::vector<Task> parse_events(const std::vector<std::string>& lines);

// The name of the pod of a container or sandbox; empty if containerd has removed it.
std::string pod_of(const std::string& container);

// A line of a container's log and when containerd read it.
struct LogLine {
  Moment at = 0;
  std::string container, text = {};
};
// The logs of all containers of a pod. The kubelet removes them some time after the pod.
std::vector<LogLine> log_of(const json& pod);

}  // namespace mc::bench
