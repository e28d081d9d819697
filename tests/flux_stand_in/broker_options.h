#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tests/flux_stand_in/attributes.h"
#include "tests/flux_stand_in/config.h"

namespace mc::stand_in {

// All that a broker knows before it opens a connection.
struct BrokerOptions {
  Config config;
  Attributes attributes;
  std::size_t quorum = 1;
  int cores = 1;  // per node, as R says; of rank 0
  OwnFolder rundir, statedir;
  std::string socket;                // path of local-uri
  std::vector<std::string> program;  // rank 0's; none with broker.rc2_none
};

// Reads `--config-path DIR -SNAME=VALUE... [PROGRAM...]` and what that names. The error is the
// sentence that a broker ends with.
[[nodiscard]] Result<BrokerOptions> read_broker_options(const std::vector<std::string>& arguments);

// `flux start`: becomes `flux broker`, under --wrap's words. Returns only when it cannot.
int exec_start(const std::vector<std::string>& arguments);

}  // namespace mc::stand_in
