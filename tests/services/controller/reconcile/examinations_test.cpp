#include "services/controller/reconcile/examinations.h"

#include <gtest/gtest.h>

#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

TEST(Examinations, AreMadeAgainOnlyIfWhatTheyDependOnHasChanged) {
  Examinations examinations;
  Observed seen = test::made();
  const auto first = examinations.of(seen);
  test::patch_cluster(seen, R"({"metadata": {"resourceVersion": "8"},
                                "status": {"phase": "Running"}})"_json);
  EXPECT_EQ(examinations.of(seen), first);
  for (const char* patch :
       {R"({"spec": {"tasks": 3}})", R"({"metadata": {"labels": {"a": "b"}}})"}) {
    const auto before = examinations.of(seen);
    test::patch_cluster(seen, json::parse(patch));
    EXPECT_NE(examinations.of(seen), before) << patch;
  }
  EXPECT_EQ(examinations.of(seen)->cluster.spec.tasks, 3);
}

TEST(Examinations, DependOnWhatTheJobWasMadeWith) {
  Examinations examinations;
  Observed seen = test::made();
  EXPECT_EQ(examinations.of(seen)->cluster.spec.max_size, 2);
  test::patch_job(seen,
                  R"({"metadata": {"annotations": {"flux-framework.org/max-size": "9"}}})"_json);
  EXPECT_EQ(examinations.of(seen)->cluster.spec.max_size, 9);
  seen.jobs.clear();
  seen.quota.defaults = Opaque(json{{"connectTimeout", "7s"}});
  EXPECT_EQ(examinations.of(seen)->cluster.spec.flux.connect_timeout, "7s");
}

TEST(Examinations, AreNotMadeAgainForTheJobThatIsMadeOfThem) {
  Examinations examinations;
  const Observed made = test::made();
  Observed before = made;
  before.jobs.clear();
  const auto first = examinations.of(before);
  EXPECT_EQ(examinations.of(made), first);
}

TEST(Examinations, OfANamesakeAreItsOwn) {
  Examinations examinations;
  const Observed seen = test::observed(test::cluster());
  const auto first = examinations.of(seen);
  const Observed namesake = test::observed(test::cluster(R"({"metadata": {"uid": "other"}})"));
  EXPECT_EQ(examinations.of(namesake)->cluster.uid, "other");
  EXPECT_EQ(examinations.of(seen), first);
}

TEST(Examinations, OfMoreThanAFewAreMadeAgain) {
  Examinations examinations;
  const Observed seen = test::observed(test::cluster());
  const auto first = examinations.of(seen);
  for (int i = 0; i < 200; ++i) {
    const json metadata = {{"metadata", {{"uid", std::to_string(i)}}}};
    (void)examinations.of(test::observed(test::cluster(metadata.dump().c_str())));
  }
  EXPECT_NE(examinations.of(seen), first);
}

TEST(Examinations, KnowTheResourcesThatAreGpusHere) {
  Examinations examinations({"example.com/gpu"});
  EXPECT_EQ(examinations.of(test::observed(test::cluster()))->cluster.more_gpus,
            std::vector<std::string>{"example.com/gpu"});
}

}  // namespace
}  // namespace mc::controller
