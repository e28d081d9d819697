#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/flux/curve.h"

// What a broker reads before it can join: broker.toml and the certificate.
namespace mc::stand_in {

struct Config {
  std::vector<std::string> hosts;  // by rank
  std::size_t rank = 0;
  std::string bind, connect;  // of rank 0, with %h and %p replaced
  bool ipv6 = false;
  flux::CurveKeys keys;  // of the instance; none for a single broker
};

// Reads broker.toml in `folder`; "": the configuration of a single broker. The message of an error
// is the one with which the broker ends.
[[nodiscard]] Result<Config> load_config(const std::string& folder, const std::string& hostname);

// The output of `flux R encode` for these hosts.
[[nodiscard]] Result<std::string> encode_resources(const std::string& hosts, int cores);

// The cores that this process may use.
int local_cores();

}  // namespace mc::stand_in
