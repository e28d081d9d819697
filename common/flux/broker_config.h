#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

// broker.toml: what a broker must know before it can join the others.
namespace mc::flux {

// Brokers that are reached in one way; ranks are given in the order of entries and hosts.
struct HostEntry {
  std::string host;     // hostlist
  std::string bind;     // "": the default; else an endpoint, as for a lead broker elsewhere
  std::string connect;  // "": the default
  bool operator==(const HostEntry&) const = default;
};

struct BrokerConfig {
  std::string curve_cert;     // path of the certificate; two brokers and more need one
  std::string resource_path;  // path of R; "": each broker looks what its machine has
  std::vector<HostEntry> hosts;
  std::int64_t port = 8050;
  // Any interface, and with enable_ipv6 both kinds of address: no interface name is assumed.
  std::string bind = "tcp://*:%p";
  std::string connect;  // see connect_through_service; "": not given
  bool enable_ipv6 = true;
  bool allow_guest_user = true;
  bool allow_root_owner = true;
  std::string queue_policy;  // Fluxion's; "": left to it
  // From SIGTERM to SIGKILL for the processes of a job that is cancelled, as a Flux duration; "":
  // Flux's own, 5 s.
  std::string kill_timeout;
  std::string archive_path;  // database of finished jobs, read by Flux before 0.68; "": none
};

// Where a broker finds host %h: below the headless Service, which the pods' search domains
// complete.
std::string connect_through_service(std::string_view service);

// The text of broker.toml; the same for the same config.
std::string broker_toml(const BrokerConfig& config);

// What matters here of a broker.toml that a user wrote.
struct BrokerToml {
  std::vector<HostEntry> hosts;
  // Of all entries, each once; none where one of the entries is no hostlist.
  std::vector<std::string> host_names;
  // `line 3: ...`, what a broker would end with at its start (flux-core 0.88 was asked). A later
  // Flux may know more keys than these rules.
  std::vector<std::string> problems;
};

// An error where the text is not TOML. Names line and reason, never what the text holds.
[[nodiscard]] Result<BrokerToml> parse_broker_toml(std::string_view text);

}  // namespace mc::flux
