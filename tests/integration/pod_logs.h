#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/rfc3339.h"
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

// The kubelet of nodes: it only has the logs that a test writes.
class Kubelet {
 public:
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;

 protected:
  struct Log {
    std::vector<std::string> files{""};
    std::string complaint;
    bool ended = false;
    bool begins_again = false;  // without end
  };

  // `one_log`: the same for all containers, with the key "". Otherwise one of each pod, by
  // namespace/pod.
  Kubelet(const Kubectl& kubectl, bool one_log)
      : kubectl_(kubectl), server_(kubelet_identity(kubectl)) {
    server_.routes().set_keep_alive_timeout(1);  // its end waits for idle connections
    server_.routes().Get(
        R"(/containerLogs/([^/]+)/([^/]+)/([^/]+))",
        [this, one_log](const httplib::Request& request, httplib::Response& response) {
          const bool follow = request.get_param_value("follow") == "true";
          const bool times = request.get_param_value("timestamps") == "true";
          const std::string key =
              one_log ? "" : request.matches[1].str() + "/" + request.matches[2].str();
          const std::size_t file = newest(key);
          const std::size_t begin =
              request.has_param("tailLines")
                  ? begin_of_tail(key, std::stoi(request.get_param_value("tailLines")))
                  : 0;
          // No text: it would be compressed, and so be held back.
          response.set_chunked_content_provider(
              "application/octet-stream", [=, this, sent = begin](std::size_t, auto& sink) mutable {
                return send(key, file, follow, times, sent, sink);
              });
        });
    server_.start();
  }
  ~Kubelet() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }

  void serve(const std::string& node) const {
    kubectl_.patch("node", node, {{"status", kubelet_at(server_.port())}},
                   {"--subresource=status"});
  }

  template <class F>
  void change(const std::string& key, F f) {
    {
      const std::scoped_lock lock(mutex_);
      f(logs_[key]);
    }
    changed_.notify_all();
  }

  const Kubectl& kubectl_;

 private:
  std::size_t newest(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    return logs_[key].files.size() - 1;
  }

  // Where the last `lines` of the newest file begin.
  std::size_t begin_of_tail(const std::string& key, int lines) {
    const std::scoped_lock lock(mutex_);
    const std::string& text = logs_[key].files.back();
    std::size_t begin = 0;
    for (auto before = std::ranges::count(text, '\n') - lines; before > 0; --before)
      begin = text.find('\n', begin) + 1;
    return begin;
  }

  // The next part of a log.
  bool send(const std::string& key, std::size_t file, bool follow, bool times, std::size_t& sent,
            httplib::DataSink& sink) {
    std::unique_lock lock(mutex_);
    Log& log = logs_[key];
    if (log.begins_again) sent = 0;
    const auto ends = [&] { return over_ || !follow || log.ended || file + 1 < log.files.size(); };
    changed_.wait(lock, [&] { return ends() || log.files[file].size() > sent; });
    std::string part = log.files[file].substr(sent);
    const bool is_last = ends();
    sent += part.size();
    const std::string complaint = is_last ? log.complaint : "";
    lock.unlock();
    if (times) part = with_times(part, file);
    part += complaint;
    if (!sink.write(part.data(), part.size())) return false;
    if (is_last) sink.done();
    return true;
  }

  // The lines of a file have the same time.
  std::string with_times(const std::string& text, std::size_t file) const {
    std::string time = rfc3339(began_ + std::chrono::seconds(file));
    time.pop_back();  // the Z
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      out += time + ".000000001Z " + text.substr(begin, end - begin);
      begin = end;
    }
    return out;
  }

  const std::chrono::system_clock::time_point began_ = std::chrono::system_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Log> logs_;
  bool over_ = false;
  LoopbackServer server_;
};

// The kubelet of the simulated nodes that exist now. Every container has the same log.
class NodeLogs : Kubelet {
 public:
  enum class Then { Ends, StaysOpen, BeginsAgain };

  NodeLogs(const Kubectl& kubectl, const std::string& text, Then then = Then::Ends)
      : Kubelet(kubectl, true) {
    change("", [&](Log& log) {
      log.files.back() = text;
      log.ended = then == Then::Ends;
      log.begins_again = then == Then::BeginsAgain;
    });
    for (const json& node : kubectl.items({"nodes"})) serve(node["metadata"]["name"]);
  }
};

// That of a node of its own, has-logs, without containers.
class PodLogs : Kubelet {
 public:
  explicit PodLogs(const Kubectl& kubectl) : Kubelet(kubectl, false) {
    kubectl_.must({"create", "-f", "-"},
                  R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "has-logs"}})");
    serve("has-logs");
  }
  ~PodLogs() {
    kubectl_({"delete", "pods", "--all", "--force", "--grace-period=0", "--wait=false"});
    kubectl_({"delete", "node", "has-logs"});
  }

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
    change(key(pod), [&](Log& log) { log.files.back() += lines; });
  }
  // What is written from now on goes to a new file. Who follows the older one comes to its end, and
  // not to the new one.
  void rotate(const std::string& pod) {
    change(key(pod), [](Log& log) { log.files.emplace_back(); });
  }
  // Each stream ends with this sentence of the kubelet.
  void complain(const std::string& pod, const std::string& sentence) {
    change(key(pod), [&](Log& log) { log.complaint = sentence; });
  }
  // Its container has ended.
  void end(const std::string& pod) {
    change(key(pod), [](Log& log) { log.ended = true; });
  }

 private:
  std::string key(const std::string& pod) const { return kubectl_.namespace_name() + "/" + pod; }
};

}  // namespace mc::test
