#include "bench/first_output/sources.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "common/base/text.h"
#include "common/kube/object.h"

namespace mc::bench {
namespace {

struct ClosePipe {
  void operator()(FILE* pipe) const { ::pclose(pipe); }
};

// `command` is a line for the shell.
std::string output_of(const std::string& command) {
  // NOLINTNEXTLINE(bugprone-command-processor): our own words only
  const std::unique_ptr<FILE, ClosePipe> pipe(::popen(command.c_str(), "re"));
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string out;
  char part[4096];
  while (const std::size_t n = std::fread(part, 1, sizeof part, pipe.get())) out.append(part, n);
  return out;
}

// A line of containerd's log of a container: `TIME stdout F TEXT`.
LogLine parse_log_line(const std::string& line, const std::string& container) {
  LogLine out{.at = parse_moment(line), .container = container};
  std::size_t begin = 0;
  for (int field = 0; field < 3 && begin != std::string::npos; ++field) {
    begin = line.find(' ', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin != std::string::npos) out.text = trimmed(std::string_view(line).substr(begin));
  return out;
}

}  // namespace

NewLines::NewLines(std::filesystem::path file)
    : file_(std::move(file)), offset_(std::filesystem::file_size(file_)) {}

std::vector<std::string> NewLines::read() {
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset_));
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line) && !in.eof();) {  // the last one may be unfinished
    offset_ += line.size() + 1;
    out.push_back(std::move(line));
  }
  return out;
}

std::vector<Write> parse_audit(const std::vector<std::string>& lines) {
  std::vector<Write> out;
  for (const std::string& line : lines) {
    const json event = json::parse(line);
    out.push_back({.received = parse_moment(text_at(event, {"requestReceivedTimestamp"})),
                   .answered = parse_moment(text_at(event, {"stageTimestamp"})),
                   .verb = text_at(event, {"verb"}),
                   .resource = text_at(event, {"objectRef", "resource"}),
                   .subresource = text_at(event, {"objectRef", "subresource"}),
                   .ns = text_at(event, {"objectRef", "namespace"}),
                   .name = text_at(event, {"objectRef", "name"}),
                   .user = text_at(event, {"user", "username"})});
  }
  return out;
}

std::vector<Task> parse_events(const std::vector<std::string>& lines) {
  std::vector<Task> out;
  for (const std::string& line : lines) {
    const bool ended = line.contains(" /tasks/exit {");
    if (!ended && !line.contains(" /tasks/start {")) continue;
    const json event = json::parse(line.substr(line.find('{')));
    const std::string container = text_at(event, {"container_id"});
    // A process that was executed in a container has an id of its own.
    if (ended && text_at(event, {"id"}) != container) continue;
    out.push_back({.at = parse_moment(line), .ended = ended, .container = container});
  }
  return out;
}

std::string pod_of(const std::string& container) {
  const std::string command = "ctr --namespace k8s.io containers info " + container + " 2>&1";
  const json info = json::parse(output_of(command), nullptr, false);
  return text_at(info, {"Labels", "io.kubernetes.pod.name"});
}

std::vector<LogLine> log_of(const json& pod) {
  namespace fs = std::filesystem;
  std::vector<LogLine> out;
  const fs::path folder = "/var/log/pods/" + kube::metadata_text(pod, "namespace") + "_" +
                          kube::metadata_text(pod, "name") + "_" + kube::metadata_text(pod, "uid");
  std::error_code gone;
  for (const fs::directory_entry& container : fs::directory_iterator(folder, gone)) {
    for (const fs::directory_entry& file : fs::directory_iterator(container)) {
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) {
        out.push_back(parse_log_line(line, container.path().filename()));
      }
    }
  }
  return out;
}

}  // namespace mc::bench
