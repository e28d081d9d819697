#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/kube/config.h"
#include "tests/fault_proxy/fault_proxy.h"
#include "tests/support/kubectl.h"
#include "tests/support/service.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {

// The program's user agent. The replica's number follows, which identifies the process in the audit
// log.
inline constexpr std::string_view kAgent = "minicluster-controller/replica-";

// One controller process with its own proxy to the API server and its own wall clock.
class Replica {
 public:
  // With leader election, and the Lease in the namespace of `kubectl`.
  Replica(const Kubectl& kubectl, std::uint64_t seed, int number,
          const std::vector<std::string>& arguments = {});

  // Within a second, its wall clock is this much ahead of the machine's.
  void set_clock(std::chrono::seconds ahead) const;

  FaultProxy& proxy() { return *proxy_; }
  Service& service() { return *service_; }
  int number() const { return number_; }

  // The exit code, once it has ended. Allowed are 0, and 1 if it lost the lease.
  std::optional<int> ended() { return service_->wait(std::chrono::milliseconds(0)); }

 private:
  const int number_;
  TemporaryFolder folder_;
  std::unique_ptr<FaultProxy> proxy_;
  std::unique_ptr<Service> service_;
};

}  // namespace mc::test
