#include "tests/integration/leaders.h"

#include <gtest/gtest.h>

#include "tests/support/eventually.h"
#include "tests/support/stage.h"

namespace mc::test {

std::unique_ptr<Service> Leaders::controller(const std::string& kubeconfig) const {
  auto service = std::make_unique<Service>(std::vector<std::string>{
      controller_program(), "--kubeconfig",
      kubeconfig.empty() ? kubectl_.kubeconfig().string() : kubeconfig, "-v", "2", "--leader-elect",
      "--leader-election-namespace", kubectl_.namespace_name(),
      "--leader-election-lease-duration=6s", "--leader-election-renew-deadline=4s",
      "--leader-election-retry-period=1s"});
  EXPECT_TRUE(service->wait_until_ready());
  return service;
}

std::unique_ptr<Service> Leaders::leader() const {
  const std::string before = holder();
  auto service = controller();
  EXPECT_TRUE(have_another_than(before)) << service->end_of_log();
  return service;
}

std::string Leaders::holder() const {
  const json lease = kubectl_.get({"lease", "minicluster-controller"});
  return lease.is_null() ? "" : lease.value("/spec/holderIdentity"_json_pointer, "");
}

bool Leaders::have_another_than(const std::string& before) const {
  return eventually([&] {
    const std::string now = holder();
    return !now.empty() && now != before;
  });
}

}  // namespace mc::test
