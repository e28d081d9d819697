#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::test {

// A webhook on loopback that the API server calls for MiniClusters.
struct AskedWebhook {
  std::string configurations;  // the name of both configurations
  std::string service, ns;     // the Service name, which its certificate must contain
  std::string users;           // the namespace whose MiniClusters it handles
  int mutate_port, validate_port;
};

// The webhook's Service and both configurations, without a caBundle.
std::vector<json> webhook_objects(const AskedWebhook& webhook);

}  // namespace mc::test
