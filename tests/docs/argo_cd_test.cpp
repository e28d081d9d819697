#include <gtest/gtest.h>

#include "services/controller/status/status.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"

// Argo CD's health check, run by Lua 5.1, the version that Argo CD has, on statuses as the
// controller writes them.
namespace mc::docs {
namespace {

using controller::Observed;
namespace seen = controller::test;

// A Lua literal. Strings here have no line breaks.
std::string lua(const json& value) {
  if (value.is_null()) return "nil";
  if (!value.is_structured()) return value.dump();
  std::string out = "{";
  for (const auto& [key, member] : value.items()) {
    out += value.is_object() ? "[" + json(key).dump() + "]=" : "";
    out += lua(member) + ",";
  }
  return out + "}";
}

// `STATUS: message`.
std::string health(const json& object) {
  const std::string check = mc::test::source_dir() / "examples/argo-cd/health.lua";
  return mc::test::must_run({"lua5.1", "-e",
                             "obj = " + lua(object) + " local hs = dofile('" + check +
                                 "') io.write(hs.status, ': ', hs.message)"});
}

std::string health(const Observed& observed) {
  json object = controller::test::sent_cluster(*observed.cluster);
  object["status"] =
      controller::to_json(controller::status(observed, seen::examined(observed), {}, {}));
  return health(object);
}

TEST(ArgoCd, AMiniClusterIsHealthyProgressingSuspendedOrDegraded) {
  EXPECT_EQ(health(seen::observed(seen::cluster(), {seen::ended_job("Complete")})),
            "Healthy: The lead broker's command ended with code 0.");
  EXPECT_EQ(health(seen::observed(seen::cluster(), {seen::ended_job("Failed")})).substr(0, 10),
            "Degraded: ");
  EXPECT_EQ(health(seen::observed(seen::cluster(R"({"spec": {"tasks": -1}})"))),
            "Degraded: spec.tasks: Invalid value: -1: must be greater than or equal to 0 (0: one "
            "task for each node)");
  EXPECT_EQ(health(seen::observed(seen::cluster(), {seen::job()})),
            "Progressing: The command starts when 2 pods are ready.");
  EXPECT_EQ(health(seen::observed(seen::cluster())), "Progressing: There is no Job yet.");
  EXPECT_EQ(health(seen::cluster()),
            "Progressing: The controller has not seen the latest spec yet.");
  EXPECT_EQ(health(seen::cluster(R"({"status": {"observedGeneration": -1}})")),
            "Progressing: The controller has not seen the latest spec yet.");
  EXPECT_EQ(
      health(seen::observed(seen::cluster(R"({"spec": {"suspend": true}})"),
                            {seen::job(R"({"spec": {"suspend": true}, "metadata": {"annotations":
                               {"flux-framework.org/suspended": "true"}}})")})),
      "Suspended: spec.suspend is true; the Job has no pods.");
}

}  // namespace
}  // namespace mc::docs
