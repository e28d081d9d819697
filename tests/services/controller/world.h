#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/kube/transport.h"
#include "tests/common/kube/manual_clock.h"

namespace mc::controller::test {

inline constexpr const char* kNamespace = "lab";

// What a request of the controller did.
struct Write {
  std::string verb, kind, name;  // POST, PATCH or DELETE
  bool is_status = false;
  json body;
  json before, after;  // null: not there
};

// One namespace of an API server, in memory: names are taken once, uid and resourceVersion are
// tested, deletion waits for finalizers. What chance decides comes from the seed alone. While it is
// unreliable, requests fail (some after they were done), and others act between them.
class World final : public kube::Transport {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  Result<kube::Response> send(const kube::Request& request) override;
  Result<void> stream(const kube::Request& request, std::stop_token stop,
                      const std::function<bool(std::string_view)>& on_line) override;

  // Below `count`, which is not 0.
  std::size_t pick(std::size_t count) { return random_() % count; }
  bool chance(std::size_t percent) { return pick(100) < percent; }

  // Null where there is none. Valid until the next change.
  const json* find(std::string_view kind, std::string_view name) const;
  std::vector<json> all(std::string_view kind) const;
  // Where nothing is changed meanwhile, which costs no copy.
  const std::map<std::string, json>& objects() const { return objects_; }
  std::vector<json> all() const;

  // Makes or replaces an object; gives it what the API server gives (uid, version, generation).
  void put(json object);
  // Merges into an object that is there.
  void change(std::string_view kind, std::string_view name, const json& patch);
  // With finalizers it is only marked.
  void remove(std::string_view kind, std::string_view name);

  const Clock& clock() const { return clock_; }
  void pass_time(std::chrono::seconds time) { clock_.advance(time); }
  std::string time() const;
  std::uint64_t version() const { return version_; }
  std::size_t requests() const { return requests_; }

  // The last of what happened, for a person who looks for the cause of a failure.
  void note(std::string what);
  const std::deque<std::string>& notes() const { return notes_; }

  bool unreliable = false;
  std::function<void()> meanwhile = [] {};
  std::function<void(const json& before, const json& after)> on_change = [](auto&, auto&) {};
  std::function<void(const Write& write)> on_write = [](auto&) {};
  std::function<void(const kube::Request& request)> on_request = [](auto&) {};

 private:
  struct Address {
    std::string kind, name, subresource;
  };

  static Address address_of(const kube::Request& request);
  kube::Response answer_event(const kube::Request& request, const std::string& name);
  kube::Response answer(const kube::Request& request, const Address& at);
  kube::Response list(const kube::Request& request, const Address& at) const;
  kube::Response create(const Address& at, json object);
  kube::Response patch(const Address& at, const json& body);
  kube::Response erase(const Address& at, const json& options);
  void stamp(json& object, const json* before);
  void store(const std::string& key, json after);

  std::mt19937_64 random_;
  kube::ManualClock clock_;
  std::map<std::string, json> objects_;  // by `Kind name`
  std::map<std::string, json> events_;   // that we sent, by name
  std::uint64_t version_ = 0;
  std::uint64_t uids_ = 0;
  std::size_t requests_ = 0;
  std::deque<std::string> notes_;
};

}  // namespace mc::controller::test
