#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

// broker.toml: the configuration that a broker needs to join the others.
namespace mc::flux {

// Brokers that share endpoints. Ranks follow the order of entries and hosts.
struct HostEntry {
  std::string host;     // hostlist
  std::string bind;     // "": the default; otherwise an endpoint, as for a lead broker elsewhere
  std::string connect;  // "": the default
  bool operator==(const HostEntry&) const = default;
};

struct BrokerConfig {
  std::string curve_cert;     // path of the certificate; required for two or more brokers
  std::string resource_path;  // path of R; "": each broker detects its machine's resources
  // False: the host name of a machine and what it has may differ from R (flux-config-resource(5)).
  bool verify_resources = true;
  std::vector<HostEntry> hosts;
  std::int64_t port = 8050;
  // Any interface, with enable_ipv6 for IPv4 and IPv6: no interface name is assumed.
  std::string bind = "tcp://*:%p";
  std::string connect;  // see connect_through_service; "": not set
  bool enable_ipv6 = true;
  bool allow_guest_user = true;
  bool allow_root_owner = true;
  std::string queue_policy;  // Fluxion's; "": its default
  // Time from SIGTERM to SIGKILL for the processes of a canceled job, as a Flux duration; "":
  // Flux's default, 5 s.
  std::string kill_timeout;
  std::string archive_path;  // database of finished jobs, read by Flux before 0.68; "": none
};

// The endpoint of host %h: a name below the headless Service, completed by the pods' search
// domains.
std::string connect_through_service(std::string_view service);

// The text of broker.toml. Deterministic.
std::string broker_toml(const BrokerConfig& config);

// The relevant parts of a user's broker.toml.
struct BrokerToml {
  std::vector<HostEntry> hosts;
  // The hosts of all entries, without duplicates; empty if an entry is not a hostlist.
  std::vector<std::string> host_names;
  // `line 3: ...`: errors with which a broker exits at start (tested with flux-core 0.88). A later
  // Flux may accept more keys. At most 101: a caller that shows 100 knows whether there are more.
  std::vector<std::string> problems;
};

// Fails if the text is not TOML. The error names line and reason and never quotes the text.
[[nodiscard]] Result<BrokerToml> parse_broker_toml(std::string_view text);

}  // namespace mc::flux
