#include "tests/faults/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/base/json.h"
#include "tests/faults/replica.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A request received in that second and answered half a second later.
json entry(int second, int replica, const std::string& verb, const std::string& resource,
           const std::string& name, const std::string& holder = "") {
  const std::string time = "2026-01-01T00:00:0" + std::to_string(second);
  json event = {{"requestReceivedTimestamp", time + ".000000Z"},
                {"stageTimestamp", time + ".500000Z"},
                {"userAgent", std::string(kAgent) + std::to_string(replica)},
                {"verb", verb},
                {"objectRef", {{"namespace", "lab"}, {"resource", resource}, {"name", name}}},
                {"responseStatus", {{"code", 200}}}};
  if (resource == "leases") event["requestObject"]["spec"]["holderIdentity"] = holder;
  return event;
}

std::vector<std::string> blamed(const std::vector<json>& events) {
  const TemporaryFolder folder;
  std::ofstream file(folder / "audit.log");
  for (const json& event : events) file << event.dump() << "\n";
  file.close();
  return blame(folder / "audit.log", "lab");
}

TEST(AuditLog, BlamesNobodyWhereTheLeaderWritesEachThingOnce) {
  EXPECT_THAT(
      blamed({entry(1, 1, "create", "leases", "l", "one"), entry(2, 1, "create", "jobs", "x"),
              entry(3, 1, "create", "services", "x"), entry(4, 1, "update", "leases", "l", ""),
              entry(5, 2, "update", "leases", "l", "two"), entry(6, 2, "delete", "services", "x"),
              entry(7, 2, "create", "services", "x")}),
      ElementsAre());
}

TEST(AuditLog, BlamesAWriteWithoutTheLease) {
  EXPECT_THAT(
      blamed({entry(1, 1, "create", "leases", "l", "one"), entry(2, 2, "create", "jobs", "x"),
              entry(3, 2, "update", "leases", "l", "two"), entry(4, 1, "patch", "jobs", "x"),
              entry(5, 2, "update", "leases", "l", ""), entry(6, 2, "patch", "jobs", "x")}),
      ElementsAre(HasSubstr("replica-2 create jobs/x while"),
                  HasSubstr("replica-1 patch jobs/x while"), HasSubstr("nobody led")));
}

TEST(AuditLog, BlamesWhatIsMadeTwice) {
  EXPECT_THAT(
      blamed({entry(1, 1, "create", "leases", "l", "one"), entry(2, 1, "create", "services", "x"),
              entry(3, 1, "create", "services", "x"), entry(4, 1, "create", "jobs", "x"),
              entry(5, 1, "delete", "jobs", "x"), entry(6, 1, "create", "jobs", "x")}),
      ElementsAre(HasSubstr("services/x again"), HasSubstr("jobs/x a second time")));
  EXPECT_THAT(blamed({}), ElementsAre(HasSubstr("no replica wrote anything")));
}

}  // namespace
}  // namespace mc::test
