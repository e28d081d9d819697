#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/flux/curve.h"

// What a broker reads before it can join: broker.toml, the certificate, R.
namespace mc::stand_in {

struct Config {
  std::vector<std::string> hosts;  // by rank
  std::size_t rank = 0;
  std::string bind, connect;  // of rank 0, with %h and %p filled in
  bool ipv6 = false;
  flux::CurveKeys keys;  // of the instance; none where there is one broker only
  std::string connect_timeout;
  std::string resources;  // path of R; "": none is configured
};

// `path`: a folder of *.toml, one file, or "" for a broker of its own. An error is the sentence
// that ends the broker.
[[nodiscard]] Result<Config> load_config(const std::string& path, const std::string& hostname);

// The text that `flux R encode` prints for these hosts.
[[nodiscard]] Result<std::string> encode_resources(const std::string& hosts, int cores);

// Cores per node of the R at `path`. Invalid where its nodes are not exactly `hosts`.
[[nodiscard]] Result<int> read_resources(const std::string& path,
                                         const std::vector<std::string>& hosts);

// The cores that this process may use.
int local_cores();

}  // namespace mc::stand_in
