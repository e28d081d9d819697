#include "services/controller/caches.h"

#include <gtest/gtest.h>

namespace mc::controller {
namespace {

json job(const char* version, const char* manager) {
  return {{"kind", "Job"},
          {"metadata",
           {{"name", "sample"},
            {"namespace", "lab"},
            {"uid", "job-uid"},
            {"resourceVersion", version},
            {"labels", {{"app.kubernetes.io/managed-by", manager}}}}}};
}

TEST(Caches, WhatWasWrittenIsKnownBeforeTheWatchTellsOfIt) {
  Caches caches;
  caches.learn(job("7", "minicluster-operator"));
  ASSERT_NE(caches.jobs.get("lab/sample"), nullptr);
}

TEST(Caches, WhatTheWatchDoesNotSelectIsNotLearned) {
  Caches caches;
  caches.learn(job("7", "minicluster-operator"));
  caches.learn(job("9", "someone"));
  const kube::Object known = caches.jobs.get("lab/sample");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ((*known)["metadata"]["resourceVersion"], "7");
}

}  // namespace
}  // namespace mc::controller
