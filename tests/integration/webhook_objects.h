#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::test {

// A webhook on loopback that the API server asks for MiniClusters.
struct AskedWebhook {
  std::string configurations;  // the name of both
  std::string service, ns;     // by whose name it is reached, which its certificate must hold
  std::string users;           // the namespace whose MiniClusters it is asked for
  int mutate_port, validate_port;
};

// Its Service and both configurations, without a caBundle.
std::vector<json> webhook_objects(const AskedWebhook& webhook);

}  // namespace mc::test
