#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/guarded.h"
#include "common/kube/transport.h"

namespace mc::test {

// Stands between one client and the API server: plain HTTP on a loopback port before, TLS behind.
// A request is delayed, cut off before or after the API server has acted, answered by half, refused
// (409, 410, 429 with Retry-After, 500, 503) or never answered; a line of a watch is delayed, told
// twice, told after the next one (of another object: Kubernetes promises the order of one),
// replaced by ERROR 410, cut in the middle, or the last one for long.
//
// Which of these follows from the seed, the request and how often it has come, so that a seed finds
// again what it has found, however threads take turns. A write is held up for half a second at
// most: no client can call back what has left it (decision 19).
class FaultProxy {
 public:
  // To the server of `upstream`, whose credentials and user agent all requests get. Listens when
  // made, and does no harm before attack().
  FaultProxy(kube::Config upstream, std::uint64_t seed);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::string url() const;

  // From now on so many of 100 requests, and of as many lines of watches, get a fault.
  void attack(int percent) { percent_ = percent; }
  // Nothing gets through and nothing is answered, on connections there are and on new ones.
  void become_a_black_hole() { dark_ = true; }
  // No faults any more. What was held back is cut off: it never gets through late. Watches end in
  // good order, with the line that one may have kept.
  void heal();

 private:
  enum class Fault { None, Delay, ResetBefore, ResetAfter, Truncate, Refuse, Silence };
  struct Client;

  void accept_clients();
  void serve(int client);
  bool answer(int client, const kube::Request& request);
  bool forward(int client, const kube::Request& request, Fault fault, std::uint64_t since);
  bool forward_watch(int client, const kube::Request& request, std::uint64_t since);
  bool hold(std::uint64_t since);  // until the faults have healed more than `since` times; false
  std::uint64_t draw(const std::string& what);
  Fault fault_of(std::uint64_t drawn, bool is_watch) const;

  // Constant after construction.
  const std::uint64_t seed_;
  std::unique_ptr<kube::Transport> upstream_;
  int listener_;
  int port_ = 0;
  std::stop_source stop_;

  // Each provides its own synchronization.
  std::atomic<int> percent_ = 0;
  std::atomic<bool> dark_ = false;
  std::atomic<std::uint64_t> healed_ = 0;                 // how often
  Guarded<std::map<std::string, std::uint64_t>> seen_{};  // what -> how often
  Guarded<std::stop_source> watches_{};                   // ends those of now

  // Used by the acceptor alone, and after its end.
  std::vector<std::unique_ptr<Client>> clients_;
  std::jthread acceptor_;
};

}  // namespace mc::test
