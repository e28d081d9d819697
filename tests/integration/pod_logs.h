#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/integration/job_pods.h"
#include "tests/support/folders.h"
#include "tests/support/loopback_server.h"

namespace mc::test {

// A kubelet has the certificate of the stage's API server.
inline Identity kubelet_identity(const Kubectl& kubectl) {
  return {text_of(kubectl.control_plane() / "apiserver.crt"),
          text_of(kubectl.control_plane() / "apiserver.key")};
}

// Where the API server finds the kubelet of a node.
inline json kubelet_at(int port) {
  return {{"addresses", {{{"type", "InternalIP"}, {"address", "127.0.0.1"}}}},
          {"daemonEndpoints", {{"kubeletEndpoint", {{"Port", port}}}}}};
}

// The kubelets of simulated nodes: every container has the same log.
class NodeLogs {
 public:
  enum class Then { Ends, StaysOpen, BeginsAgain };

  // For the nodes that there are now.
  NodeLogs(const Kubectl& kubectl, const std::string& text, Then then = Then::Ends)
      : text_(with_times(text)), then_(then), server_(kubelet_identity(kubectl)) {
    server_.routes().set_keep_alive_timeout(1);  // its end waits for idle connections
    server_.routes().Get(
        "/containerLogs/.*", [this](const httplib::Request&, httplib::Response& response) {
          response.set_chunked_content_provider(
              "application/octet-stream",
              [this](std::size_t sent, httplib::DataSink& sink) { return send(sent, sink); });
        });
    server_.start();
    const json nodes = kubectl.get({"nodes"});
    for (const json& node : nodes["items"]) {
      kubectl.patch("node", node["metadata"]["name"], {{"status", kubelet_at(server_.port())}},
                    {"--subresource=status"});
    }
  }
  ~NodeLogs() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }
  NodeLogs(const NodeLogs&) = delete;
  NodeLogs& operator=(const NodeLogs&) = delete;

 private:
  bool send(std::size_t sent, httplib::DataSink& sink) {
    if (sent == 0 || then_ == Then::BeginsAgain) return sink.write(text_.data(), text_.size());
    if (then_ == Then::Ends) {
      sink.done();
      return true;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_; });
    return false;
  }

  // A second for each line.
  static std::string with_times(const std::string& text) {
    std::string out;
    int second = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      out += "2026-01-01T00:00:0" + std::to_string(second++) + ".000000001Z " +
             text.substr(begin, end - begin);
      begin = end;
    }
    return out;
  }

  const std::string text_;
  const Then then_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  LoopbackServer server_;
};

// A node without containers: its kubelet only has the logs that a test writes.
class PodLogs {
 public:
  explicit PodLogs(const Kubectl& kubectl) : kubectl_(kubectl), server_(kubelet_identity(kubectl)) {
    server_.routes().set_keep_alive_timeout(1);  // its end waits for idle connections
    server_.routes().Get(R"(/containerLogs/([^/]+)/([^/]+)/([^/]+))",
                         [this](const httplib::Request& request, httplib::Response& response) {
                           const bool follow = request.get_param_value("follow") == "true";
                           const bool times = request.get_param_value("timestamps") == "true";
                           const std::string key =
                               request.matches[1].str() + "/" + request.matches[2].str();
                           const std::size_t file = newest(key);
                           // No text: it would be compressed, and so be held back.
                           response.set_chunked_content_provider(
                               "application/octet-stream",
                               [=, this, sent = std::size_t{0}](std::size_t, auto& sink) mutable {
                                 return send(key, file, follow, times, sent, sink);
                               });
                         });
    server_.start();
    kubectl_.must({"create", "-f", "-"},
                  R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "has-logs"}})");
    kubectl_.patch("node", "has-logs", {{"status", kubelet_at(server_.port())}},
                   {"--subresource=status"});
  }
  ~PodLogs() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    kubectl_({"delete", "pods", "--all", "--force", "--grace-period=0", "--wait=false"});
    kubectl_({"delete", "node", "has-logs"});
  }
  PodLogs(const PodLogs&) = delete;
  PodLogs& operator=(const PodLogs&) = delete;

  // The pod of that index runs on the node. Returns its name.
  std::string run(const JobPods& pods, int index) const {
    const json pod = pods.pod(index);
    if (!pod.is_object()) throw std::runtime_error("no pod of index " + std::to_string(index));
    const std::string name = pod["metadata"]["name"], ns = kubectl_.namespace_name();
    const json binding = {{"apiVersion", "v1"},
                          {"kind", "Binding"},
                          {"metadata", {{"name", name}}},
                          {"target", {{"kind", "Node"}, {"name", "has-logs"}}}};
    kubectl_.must(
        {"create", "--raw", "/api/v1/namespaces/" + ns + "/pods/" + name + "/binding", "-f", "-"},
        binding.dump());
    const std::string container = pod["metadata"]["labels"]["job-name"];
    pods.set_status(index,
                    {{"phase", "Running"},
                     {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
                     {"containerStatuses",
                      {{{"name", container},
                        {"image", "ubuntu:noble"},
                        {"imageID", ""},
                        {"ready", true},
                        {"restartCount", 0},
                        {"state", {{"running", {{"startedAt", "2026-01-01T00:00:00Z"}}}}}}}}});
    return name;
  }

  // More of a pod's log, in whole lines.
  void write(const std::string& pod, const std::string& lines) {
    change(pod, [&](Log& log) { log.files.back() += lines; });
  }
  // What is written from now on goes to a new file. Who follows the older one comes to its end, and
  // not to the new one.
  void rotate(const std::string& pod) {
    change(pod, [](Log& log) { log.files.emplace_back(); });
  }
  // Each stream ends with this sentence of the kubelet.
  void complain(const std::string& pod, const std::string& sentence) {
    change(pod, [&](Log& log) { log.complaint = sentence; });
  }
  // Its container has ended.
  void end(const std::string& pod) {
    change(pod, [](Log& log) { log.ended = true; });
  }

 private:
  struct Log {
    std::vector<std::string> files{""};
    std::string complaint;
    bool ended = false;
  };

  template <class F>
  void change(const std::string& pod, F f) {
    {
      const std::scoped_lock lock(mutex_);
      f(logs_[kubectl_.namespace_name() + "/" + pod]);
    }
    changed_.notify_all();
  }

  std::size_t newest(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    return logs_[key].files.size() - 1;
  }

  // The next part of a log.
  bool send(const std::string& key, std::size_t file, bool follow, bool times, std::size_t& sent,
            httplib::DataSink& sink) {
    std::unique_lock lock(mutex_);
    Log& log = logs_[key];
    const auto ends = [&] { return over_ || !follow || log.ended || file + 1 < log.files.size(); };
    changed_.wait(lock, [&] { return ends() || log.files[file].size() > sent; });
    std::string part = log.files[file].substr(sent);
    const bool is_last = ends();
    sent += part.size();
    const std::string complaint = is_last ? log.complaint : "";
    lock.unlock();
    if (times) part = with_times(part, file);
    part += complaint;
    sink.write(part.data(), part.size());
    if (is_last) sink.done();
    return true;
  }

  // The lines of a file have the same time.
  static std::string with_times(const std::string& text, std::size_t file) {
    std::string out;
    for (const std::string& line : lines_of(text)) {
      out += "2026-01-01T00:00:0" + std::to_string(file) + ".000000001Z " + line + "\n";
    }
    return out;
  }

  const Kubectl& kubectl_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Log> logs_;  // by namespace/pod
  bool over_ = false;
  LoopbackServer server_;
};

}  // namespace mc::test
