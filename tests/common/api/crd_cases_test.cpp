#include <gtest/gtest.h>

#include <fstream>

#include "common/api/examine.h"
#include "tests/support/folders.h"

// Checks the webhook's rules against the cases that tests/crds checks on a real API server without
// the webhook: the webhook refuses what the CRD refuses, with better messages, and accepts what the
// CRD accepts, except unknown fields of Kubernetes' own types, which the CRD preserves for the
// webhook to report.
namespace mc::api {
namespace {

json table() {
  std::ifstream file(test::source_dir() / "tests/crds/cases.json");
  return json::parse(file);
}

json object_of(const json& all, const json& one, const char* field) {
  if (one.contains("object")) return one["object"];
  json object = all[one.value("base", "base")];
  object.merge_patch(one[field]);
  return object;
}

TEST(CrdCases, TheWebhookRefusesWhatTheCrdRefuses) {
  const json all = table();
  ASSERT_GE(all["cases"].size(), 40U);
  for (const json& one : all["cases"]) {
    SCOPED_TRACE(one["name"]);
    const json old = one.contains("old") ? object_of(all, one, "old") : json();
    const json object = object_of(all, one, "patch");
    const Examination examination = examine_kind(object["kind"].get<std::string>(), object, old);
    const bool accepted = one.value("accepted", false) && !one.value("refusedByWebhook", false);
    EXPECT_EQ(examination.errors.empty(), accepted)
        << (examination.errors.empty() ? "accepted" : to_string(examination.errors));
  }
}

}  // namespace
}  // namespace mc::api
