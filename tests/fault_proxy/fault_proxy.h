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
#include "tests/support/listener.h"

namespace mc::test {

// A proxy between one client and the API server: plain HTTP on a loopback port to the client, TLS
// to the API server. A request is delayed, reset before or after the API server has acted, answered
// in part, refused (409, 410, 429 with Retry-After, 500, 503) or never answered. A line of a watch
// is delayed, duplicated, swapped with the next one (of another object: Kubernetes guarantees the
// order per object), replaced by ERROR 410, truncated, or followed by a long silence.
//
// The fault depends only on the seed, the request and how often it was sent, so a seed reproduces
// its faults whatever the thread scheduling. A write is delayed by half a second at most: no client
// can call back a request that it has sent (decision 19).
class FaultProxy {
 public:
  // Forwards to the server of `upstream`, with its credentials and user agent. Listens from
  // construction; injects no fault before attack().
  FaultProxy(kube::Config upstream, std::uint64_t seed);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  // The text of a kubeconfig with which a program talks to this proxy.
  std::string kubeconfig() const;

  // From now on, `percent` of requests and of watch lines get a fault.
  void attack(int percent) { percent_ = percent; }
  // From now on, `percent` of them are delayed, which is the only fault.
  void slow_down(int percent);
  // From now on, writes are kept, except those of Leases, and unlike those of the other faults
  // they do reach the API server: when they are released, whether or not the client still exists.
  void keep_writes() { keeps_ = true; }
  int kept() const { return kept_; }  // how many are being kept
  void release_writes();
  // Nothing is forwarded or answered any more, on existing and on new connections.
  void become_a_black_hole() { dark_ = true; }
  // Stops all faults. Delayed requests are reset and never forwarded late. Watches end cleanly,
  // after a line that was held back.
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
  const test::Listener listener_{128};
  std::stop_source stop_;

  // Each provides its own synchronization.
  std::atomic<int> percent_ = 0, kept_ = 0;
  std::atomic<bool> dark_ = false, only_delays_ = false, keeps_ = false;
  std::atomic<std::uint64_t> healed_ = 0;                 // number of heal() calls
  Guarded<std::map<std::string, std::uint64_t>> seen_{};  // what -> count
  Guarded<std::stop_source> watches_{};                   // ends the current ones

  // Used only by the acceptor, and after its end.
  std::vector<std::unique_ptr<Client>> clients_;
  std::jthread acceptor_;
};

}  // namespace mc::test
