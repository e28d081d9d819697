#include "services/controller/cache/reduce.h"

#include <gtest/gtest.h>

#include <string>

#include "common/api/model/pod_requests.h"
#include "common/kube/object.h"
#include "common/render/job.h"
#include "common/render/pod.h"
#include "services/controller/cluster/unread.h"
#include "services/controller/quota/demand.h"
#include "tests/services/controller/requesting.h"

namespace mc::controller {
namespace {

TEST(Job, KeepsWhatItsPodsRequest) {
  const json job = render::job(test::requesting());
  const json reduced = reduce_job(job);
  EXPECT_EQ(quota::demand_of(reduced, nullptr), quota::demand_of(job, nullptr));
  const api::Amounts demand = api::pod_requests(reduced["spec"]["template"]["spec"]);
  EXPECT_EQ(demand.at("cpu").str(), "5100m");
  EXPECT_EQ(demand.at("memory").str(), "1073741824");
  EXPECT_EQ(
      reduced["spec"]["template"]["spec"]["containers"],
      json::array({{{"resources", job["spec"]["template"]["spec"]["containers"][0]["resources"]}}}))
      << "and nothing else of its containers";
}

TEST(Job, WithoutATemplateKeepsNone) {
  EXPECT_FALSE(reduce_job({{"spec", {{"parallelism", 2}}}})["spec"].contains("template"));
}

TEST(UnreadOfAJob, IsWhatReducingDropsAnyway) {
  json job = render::job(test::requesting());
  job["status"] = json::parse(R"({"ready": 4, "conditions": [{"type": "Complete"}]})");
  EXPECT_EQ(reduce_job(kube::parse_answer(job.dump(), 0, unread_of_job())), reduce_job(job));
}

TEST(UnreadOfAJob, IsMostOfIt) {
  const json job = render::job(test::requesting());
  const json kept = kube::parse_answer(job.dump(), 0, unread_of_job());
  EXPECT_LT(2 * count_values(kept, 10'000), count_values(job, 10'000));
}

}  // namespace
}  // namespace mc::controller
