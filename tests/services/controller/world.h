#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/kube/transport.h"
#include "tests/common/kube/manual_clock.h"

namespace mc::controller::test {

// The effect of a controller's request.
struct Write {
  std::string verb, kind, name;  // POST, PATCH or DELETE
  bool is_status = false;
  json body;
  json before, after;  // null: does not exist
};

std::string name_of(const json& object);
std::string uid_of(const json& object);
bool is_deleted(const json& object);  // or about to be
bool is_queued(const json& job);
bool has_ended(const json& job);
// The Go operator's Jobs lack the label that ours have.
bool is_of_another_operator(const json& object);

// The time that several worlds share, and what happened last in them.
class Timeline {
 public:
  const Clock& clock() const { return clock_; }
  void pass(std::chrono::seconds time) { clock_.advance(time); }
  void pass_until(std::chrono::sys_seconds time);  // nothing if it has passed
  std::string now() const;

  // To explain a failure.
  void note(const std::string& what);
  const std::deque<std::string>& notes() const { return notes_; }

 private:
  kube::ManualClock clock_;
  std::deque<std::string> notes_;
};

// One namespace of an API server, in memory: names are unique, uid and resourceVersion are checked,
// deletion waits for finalizers. Random decisions depend only on the seed. While it is unreliable,
// requests fail (some after they took effect), and other actors act between them. Several worlds
// with different numbers are several namespaces: they share the time, and no uid.
class World final : public kube::Transport {
 public:
  // The timeline must outlive it.
  World(std::uint64_t seed, Timeline& timeline, unsigned number = 0)
      : ns_(number == 0 ? "lab" : "lab-" + std::to_string(number)),
        number_(number),
        random_(seed),
        timeline_(timeline) {}

  Result<kube::Response> send(const kube::Request& request) override;
  Result<void> stream(const kube::Request& request, std::stop_token stop,
                      const std::function<bool(std::string_view)>& on_line) override;
  Result<void> read(const kube::Request& request, std::stop_token stop,
                    const std::function<bool(std::string_view)>& on_bytes) override {
    return stream(request, std::move(stop), on_bytes);
  }

  const std::string& ns() const { return ns_; }

  // A random number below `count`, which must not be 0.
  std::size_t pick(std::size_t count) { return random_() % count; }
  bool chance(std::size_t percent) { return pick(100) < percent; }

  // Null if there is none. Valid until the next change.
  const json* find(std::string_view kind, std::string_view name) const;
  std::vector<json> all(std::string_view kind) const;
  // Without a copy. Do not change the world while using it.
  const std::map<std::string, json>& objects() const { return objects_; }
  std::vector<json> all() const;

  // Creates or replaces an object, and sets what the API server sets (uid, resourceVersion,
  // generation).
  void put(json object);
  // Applies a merge patch to an existing object.
  void change(std::string_view kind, std::string_view name, const json& patch);
  // Deletes an object. One with finalizers only gets a deletionTimestamp.
  void remove(std::string_view kind, std::string_view name);

  const Clock& clock() const { return timeline_.clock(); }
  void pass_time(std::chrono::seconds time) { timeline_.pass(time); }
  std::string time() const { return timeline_.now(); }
  std::uint64_t version() const { return version_; }
  std::size_t requests() const { return requests_; }

  void note(const std::string& what) { timeline_.note(ns_ + " " + what); }

  // The uids of Jobs of which a pod has run, and of MiniClusters of which such a Job has ended.
  std::set<std::string> started, ended;
  bool unreliable = false;
  std::function<void()> meanwhile = [] {};
  // A watch of this kind breaks, and a new list follows.
  std::function<void(std::string_view kind)> on_gap = [](auto) {};
  // Each change, also those by a Write, which follows it.
  std::vector<std::function<void(const json& before, const json& after)>> on_change;
  std::vector<std::function<void(const Write& write)>> on_write;
  std::function<void(const kube::Request& request)> on_request = [](auto&) {};
  // An answer to this request in place of its effect; 0: none.
  std::function<int(const kube::Request& request)> refuse = [](auto&) { return 0; };

 private:
  struct Address {
    std::string kind, name, subresource;
  };

  static Address address_of(const kube::Request& request);
  kube::Response answer_event(const kube::Request& request, const std::string& name);
  kube::Response answer(const kube::Request& request, const Address& at);
  kube::Response list(const kube::Request& request, const Address& at) const;
  kube::Response events_of(const kube::Request& request) const;
  kube::Response create(const Address& at, json object);
  kube::Response patch(const Address& at, const json& body);
  kube::Response erase(const Address& at, const json& options);
  void stamp(json& object, const json* before);
  void store(const std::string& key, json after);
  void tell_change(const json& before, const json& after) const;
  void tell_write(const Write& write) const;

  const std::string ns_;
  const unsigned number_;
  std::mt19937_64 random_;
  Timeline& timeline_;
  std::map<std::string, json> objects_;  // by `Kind name`
  std::map<std::string, json> events_;   // sent by the controller, by name
  std::uint64_t version_ = 0;
  std::uint64_t uids_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace mc::controller::test
