#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/kube/config.h"
#include "tests/faults/fault_proxy.h"
#include "tests/support/kubectl.h"
#include "tests/support/service.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {

// How the program calls itself to the API server, with what tells its processes apart in the audit
// log: each has its number.
inline constexpr std::string_view kAgent = "minicluster-controller/replica-";

// One controller process with a proxy of its own between it and the API server.
class Replica {
 public:
  // With leader election by a Lease in the namespace of `kubectl`, whose MiniClusters it works on.
  Replica(const Kubectl& kubectl, std::uint64_t seed, int number,
          const std::vector<std::string>& arguments = {});

  FaultProxy& proxy() { return *proxy_; }
  Service& service() { return *service_; }
  int number() const { return number_; }

  // The exit code of one that ended; what it may end with is 0, and 1 where it lost the lease.
  std::optional<int> ended() { return service_->wait(std::chrono::milliseconds(0)); }

 private:
  const int number_;
  TemporaryFolder folder_;
  std::unique_ptr<FaultProxy> proxy_;
  std::unique_ptr<Service> service_;
};

}  // namespace mc::test
