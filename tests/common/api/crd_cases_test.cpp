#include "tests/support/crd_cases.h"

#include <gtest/gtest.h>

#include "common/api/examine.h"

// Checks the webhook's rules against the cases that tests/crds checks on a real API server without
// the webhook: the webhook refuses what the CRD refuses, with better messages, and accepts what the
// CRD accepts, except unknown fields of Kubernetes' own types, which the CRD preserves for the
// webhook to report.
namespace mc::api {
namespace {

TEST(CrdCases, TheWebhookRefusesWhatTheCrdRefuses) {
  const json all = test::crd_cases();
  ASSERT_GE(all["cases"].size(), 40U);
  for (const json& one : all["cases"]) {
    SCOPED_TRACE(one["name"]);
    const json old = one.contains("old") ? test::crd_case_object(all, one, "old") : json();
    const json object = test::crd_case_object(all, one, "patch");
    const Examination examination = examine_kind(object["kind"].get<std::string>(), object, old);
    const bool accepted = one.value("accepted", false) && !one.value("refusedByWebhook", false);
    EXPECT_EQ(examination.errors.empty(), accepted)
        << (examination.errors.empty() ? "accepted" : to_string(examination.errors));
  }
}

}  // namespace
}  // namespace mc::api
