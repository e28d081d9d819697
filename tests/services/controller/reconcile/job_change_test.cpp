#include "services/controller/reconcile/job_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "services/controller/reconcile/examinations.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

json with_variables(int count) {
  json object = test::cluster(R"({"spec": {"maxSize": 2}})");
  json& variables = object["spec"]["containers"][0]["environment"];
  for (int i = 0; i < count; ++i) variables["VARIABLE_" + std::to_string(i)] = "value";
  return object;
}

api::Examination examined(const json& object) { return test::examined(test::observed(object)); }

json job_of(const json& object) {
  return {{"kind", "Job"},
          {"metadata",
           {{"name", "sample"},
            {"annotations", applied_spec(test::observed(object), examined(object))}}}};
}

std::vector<std::string> changed(const json& job, const json& object) {
  std::vector<std::string> out;
  const JobChange change = job_change(test::observed(object, {job}), examined(object));
  for (const api::FieldError& error : change.errors) {
    out.push_back(error.field);
  }
  return out;
}

TEST(JobChange, AChangeIsToldByItsField) {
  const json before = with_variables(3);
  json after = before;
  EXPECT_THAT(changed(job_of(before), after), IsEmpty());
  after["spec"]["size"] = 1;
  EXPECT_THAT(changed(job_of(before), after), IsEmpty()) << "may change at any time";
  after["spec"]["containers"][0]["environment"]["VARIABLE_1"] = "other";
  EXPECT_THAT(changed(job_of(before), after),
              ElementsAre("spec.containers[0].environment[VARIABLE_1]"));
}

// The default of earlier versions was spec.size, which could not change beside such a cluster. All
// clusters have the same hosts in the same order, so those that run keep theirs.
TEST(JobChange, ABurstedClusterWithoutASizeKeepsTheOneThatItsJobWasMadeWith) {
  const auto of_size = [](int size) {
    json object = test::cluster(R"({"spec": {"maxSize": 8, "flux": {"bursting": {"clusters": [
        {"name": "a"}, {"name": "b", "size": 3}, {"name": "c", "size": 0}]}}}})");
    object["spec"]["size"] = size;
    return object;
  };
  json made = of_size(2);
  for (const std::size_t i : {0U, 2U}) made["spec"]["flux"]["bursting"]["clusters"][i]["size"] = 2;
  const auto sizes = [&](const json& object, const std::vector<json>& jobs) {
    std::vector<std::int64_t> out;
    for (const auto& burst :
         examine(test::observed(object, jobs)).cluster.spec.flux.bursting.clusters) {
      out.push_back(burst.size);
    }
    return out;
  };
  EXPECT_THAT(sizes(of_size(4), {}), ElementsAre(8, 3, 8));
  EXPECT_THAT(sizes(of_size(4), {job_of(of_size(2))}), ElementsAre(8, 3, 8));
  EXPECT_THAT(sizes(of_size(4), {job_of(made)}), ElementsAre(2, 3, 2));
  const Observed seen = test::observed(of_size(4), {job_of(made)});
  EXPECT_THAT(job_change(seen, examine(seen)).errors, IsEmpty());
}

// Earlier versions stored both in the MiniCluster.
TEST(JobChange, ADefaultThatIsNotStoredAnyMoreIsNoChange) {
  const json before =
      test::cluster(R"({"spec": {"maxSize": 2, "network": {"headlessName": "sample"},
      "containers": [{"image": "ubuntu:noble", "command": "hostname", "runFlux": true,
                      "pullAlways": false}]}})");
  const json after = test::cluster(R"({"spec": {"maxSize": 2}})");
  EXPECT_THAT(changed(job_of(before), after), IsEmpty());
  EXPECT_THAT(changed(job_of(after), before), IsEmpty());
  const json other = test::cluster(R"({"spec": {"maxSize": 2, "network": {"headlessName": "x"}}})");
  EXPECT_THAT(changed(job_of(before), other), ElementsAre("spec.network.headlessName"));
  const json standard = test::cluster(R"({"spec": {"maxSize": 2, "containers": [
      {"image": "ghcr.io/rse-ops/accounting:app-latest", "command": "hostname"}]}})");
  const json none = test::cluster(R"({"spec": {"maxSize": 2, "containers": [
      {"command": "hostname"}]}})");
  EXPECT_THAT(changed(job_of(standard), none), IsEmpty());
}

// The API server rejects a Job with more than 256 KiB of annotations.
TEST(JobChange, AChangeOfALargeSpecIsToldByWhatHoldsIt) {
  const json before = with_variables(4'000);
  const json job = job_of(before);
  EXPECT_LT(job["metadata"]["annotations"][api::kSpecAnnotation].get<std::string>().size(),
            65'537U);
  json after = before;
  EXPECT_THAT(changed(job, after), IsEmpty());
  after["spec"]["size"] = 1;
  EXPECT_THAT(changed(job, after), IsEmpty());
  after["spec"]["containers"][0]["environment"].erase("VARIABLE_1");
  EXPECT_THAT(changed(job, after), ElementsAre("spec.containers[0].environment"));
  EXPECT_THAT(changed(job, with_variables(1)), ElementsAre("spec.containers[0].environment"));
  after = before;
  after["spec"]["containers"][0]["image"] = "other:1";
  after["spec"]["tasks"] = 4;
  EXPECT_THAT(changed(job, after), ElementsAre("spec.containers[0].image", "spec.tasks"));
}

}  // namespace
}  // namespace mc::controller
