#pragma once
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/kube/api_error.h"
#include "common/kube/transport.h"
#include "tests/common/kube/answers.h"

namespace mc::kubectl {

// An API server in memory, with MiniClusters and pods.
class MemoryCluster final : public kube::Transport {
 public:
  // From now on the object of this kind and name is as follows. Who watches gets each change.
  void set(const json& object) { add("MODIFIED", object); }
  void remove(const json& object) { add("DELETED", object); }
  bool has(const json& object) const {
    const std::scoped_lock lock(mutex_);
    return existing(text_at(object, {"kind"})).contains(name_of(object));
  }

  // Nothing is answered, or it is again.
  void cut(bool is_cut = true) {
    const std::scoped_lock lock(mutex_);
    is_cut_ = is_cut;
  }
  // This sentence is the answer to each request for objects of the kind by this HTTP method, and
  // the end of each watch of them.
  void refuse(const std::string& method, const std::string& kind, const std::string& sentence,
              int code = 403) {
    const std::scoped_lock lock(mutex_);
    refused_[method + kind] = {code, kube::status(code, reason_of(code), sentence).dump()};
    changed_.notify_all();
  }
  void allow(const std::string& method, const std::string& kind) {
    const std::scoped_lock lock(mutex_);
    refused_.erase(method + kind);
  }
  // Ends every watch that has begun: its version is too old.
  void expire() {
    const std::scoped_lock lock(mutex_);
    events_.emplace_back("ERROR", kube::status(410, "Expired", "too old resource version"));
    changed_.notify_all();
  }
  // The log of every container, as a kubelet sends it.
  void log(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    log_ = text;
  }

  Result<kube::Response> send(const kube::Request& request) override {
    const std::scoped_lock lock(mutex_);
    if (is_cut_) return fail(ErrorKind::Unavailable, "unexpected EOF");
    const std::string kind = kind_in(request.path);
    if (const auto refused = refused_.find(request.method + kind); refused != refused_.end())
      return refused->second;
    const auto objects = existing(kind);
    const auto one = objects.find(request.path.substr(request.path.rfind('/') + 1));
    if (one == objects.end()) return kube::Response{200, list_of(objects).dump()};
    if (request.method == "DELETE") add_locked("DELETED", one->second);
    return kube::Response{200, one->second.dump()};
  }

  Result<void> stream(const kube::Request& request, std::stop_token stop,
                      const std::function<bool(std::string_view)>& on_line) override {
    const std::string version = "resourceVersion=";
    const std::string kind = kind_in(request.path);
    std::size_t next = std::stoul(request.path.substr(request.path.find(version) + version.size()));
    while (true) {
      std::unique_lock lock(mutex_);
      const auto is_refused = [&] { return refused_.contains("GET" + kind); };
      if (!changed_.wait(lock, stop, [&] { return is_refused() || next < events_.size(); }))
        return {};
      if (is_refused()) return std::unexpected(kube::api_error(request, refused_.at("GET" + kind)));
      const auto [type, object] = events_[next++];
      lock.unlock();
      const bool is_for_it = text_at(object, {"kind"}) == kind || std::string_view(type) == "ERROR";
      if (is_for_it && !on_line(kube::watch_line(type, object))) return {};
    }
  }

  Result<void> read(const kube::Request&, std::stop_token,
                    const std::function<bool(std::string_view)>& on_bytes) override {
    std::unique_lock lock(mutex_);
    const std::string text = log_;
    lock.unlock();
    if (!text.empty()) on_bytes(text);
    return {};
  }

 private:
  using Objects = std::map<std::string, json>;  // by name

  static const char* reason_of(int code) {
    if (code == 503) return "ServiceUnavailable";
    return code == 401 ? "Unauthorized" : "Forbidden";
  }
  static std::string name_of(const json& object) { return text_at(object, {"metadata", "name"}); }
  static std::string kind_in(const std::string& path) {
    return path.contains("/pods") ? "Pod" : "MiniCluster";
  }

  void add(const char* type, const json& object) {
    const std::scoped_lock lock(mutex_);
    add_locked(type, object);
  }
  // The version of each change is the number of changes.
  void add_locked(const char* type, json object) {
    object["metadata"]["resourceVersion"] = std::to_string(events_.size() + 1);
    events_.emplace_back(type, std::move(object));
    changed_.notify_all();
  }

  Objects existing(const std::string& kind) const {
    Objects out;
    for (const auto& [type, object] : events_) {
      if (text_at(object, {"kind"}) != kind) continue;
      out.erase(name_of(object));
      if (std::string_view(type) != "DELETED") out[name_of(object)] = object;
    }
    return out;
  }
  json list_of(const Objects& objects) const {
    json items = json::array();
    for (const auto& [name, object] : objects) items.push_back(object);
    return {{"metadata", {{"resourceVersion", std::to_string(events_.size())}}},
            {"items", std::move(items)}};
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::pair<const char*, json>> events_;
  std::map<std::string, kube::Response> refused_;
  std::string log_;
  bool is_cut_ = false;
};

}  // namespace mc::kubectl
