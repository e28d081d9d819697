#include "common/api/model/pod_requests.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace mc::api {
namespace {

using Texts = std::map<std::string, std::string>;

Texts texts_of(const Amounts& amounts) {
  Texts out;
  for (const auto& [name, amount] : amounts) out[name] = amount.str();
  return out;
}

struct RequestsCase {
  const char* name;
  const char* spec;
  Texts requests;
};

void expect_requests(const std::vector<RequestsCase>& cases) {
  for (const RequestsCase& c : cases) {
    EXPECT_EQ(texts_of(pod_requests(json::parse(c.spec))), c.requests) << c.name;
  }
}

TEST(PodRequests, IsTheSumOfItsContainersOrTheMostOfItsStart) {
  expect_requests({
      {"nothing is requested", R"({"containers": [{"name": "a"}, {"resources": {}}]})", {}},
      {"containers run together",
       R"({"containers": [{"resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}},
                          {"resources": {"requests": {"cpu": 0.2, "nvidia.com/gpu": 1}}}]})",
       {{"cpu", "300m"}, {"memory", "1073741824"}, {"nvidia.com/gpu", "1"}}},
      {"init containers run one after the other, before the others",
       R"({"initContainers": [{"resources": {"requests": {"cpu": 2}}},
                              {"resources": {"requests": {"cpu": 1, "memory": "8Mi"}}}],
           "containers": [{"resources": {"requests": {"cpu": "500m", "memory": "16Mi"}}},
                          {"resources": {"requests": {"cpu": "500m"}}}]})",
       {{"cpu", "2"}, {"memory", "16777216"}}},
      {"a sidecar runs beside the containers",
       R"({"initContainers": [{"restartPolicy": "Always", "resources": {"requests": {"cpu": 1}}}],
           "containers": [{"resources": {"requests": {"cpu": 2}}}]})",
       {{"cpu", "3"}}},
      {"a sidecar runs beside the init containers after it",
       R"({"initContainers": [{"restartPolicy": "Always", "resources": {"requests": {"cpu": 1}}},
                              {"resources": {"requests": {"cpu": 4}}}],
           "containers": [{"resources": {"requests": {"cpu": 2}}}]})",
       {{"cpu", "5"}}},
      {"and not beside those before it",
       R"({"initContainers": [{"resources": {"requests": {"cpu": 4}}},
                              {"restartPolicy": "Always", "resources": {"requests": {"cpu": 1}}}],
           "containers": [{"resources": {"requests": {"cpu": 2}}}]})",
       {{"cpu", "4"}}},
      {"an init container that is restarted on failure is none",
       R"({"initContainers": [{"restartPolicy": "OnFailure",
                               "resources": {"requests": {"cpu": 1}}}],
           "containers": [{"resources": {"requests": {"cpu": 2}}}]})",
       {{"cpu", "2"}}},
  });
}

TEST(PodRequests, TheLimitIsTheRequestThatIsAbsent) {
  expect_requests({
      {"a limit alone",
       R"({"containers": [{"resources": {"limits": {"cpu": 2}}}]})",
       {{"cpu", "2"}}},
      {"for each resource",
       R"({"containers": [{"resources": {"limits": {"cpu": 2, "memory": "2Mi"},
                                         "requests": {"cpu": 1}}}]})",
       {{"cpu", "1"}, {"memory", "2097152"}}},
      {"a request of 0 is one",
       R"({"containers": [{"resources": {"limits": {"cpu": 2}, "requests": {"cpu": 0}}}]})",
       {{"cpu", "0"}}},
      {"and so is null",
       R"({"containers": [{"resources": {"limits": {"cpu": 2}, "requests": {"cpu": null}}}]})",
       {{"cpu", "0"}}},
      {"in an init container",
       R"({"initContainers": [{"resources": {"limits": {"cpu": 2}}}],
           "containers": [{"resources": {"requests": {"cpu": 1}}}]})",
       {{"cpu", "2"}}},
  });
}

TEST(PodRequests, HasTheOverheadOfTheSpec) {
  expect_requests({
      {"beside the containers",
       R"({"overhead": {"cpu": "250m", "memory": "120Mi"},
           "containers": [{"resources": {"requests": {"cpu": 1}}}]})",
       {{"cpu", "1250m"}, {"memory", "125829120"}}},
      {"beside the pod as a whole",
       R"({"overhead": {"cpu": "250m"}, "resources": {"requests": {"cpu": 3}},
           "containers": [{"resources": {"requests": {"cpu": 1}}}]})",
       {{"cpu", "3250m"}}},
  });
}

TEST(PodRequests, ThePodAsAWholeRequestsInsteadOfItsContainers) {
  expect_requests({
      {"more or less than they",
       R"({"resources": {"requests": {"cpu": 3, "memory": "1Mi"}},
           "containers": [{"resources": {"requests": {"cpu": 1, "memory": "2Mi"}}}]})",
       {{"cpu", "3"}, {"memory", "1048576"}}},
      {"no device and no storage",
       R"({"resources": {"requests": {"nvidia.com/gpu": 3, "ephemeral-storage": 1}},
           "containers": [{"resources": {"requests": {"nvidia.com/gpu": 1}}}]})",
       {{"nvidia.com/gpu", "1"}}},
      {"a limit, where neither it nor a container requests",
       R"({"resources": {"limits": {"cpu": 8, "memory": "4Mi"}},
           "containers": [{"resources": {"requests": {"cpu": 1}}}]})",
       {{"cpu", "1"}, {"memory", "4194304"}}},
      {"a limit of huge pages",
       R"({"resources": {"limits": {"hugepages-2Mi": "8Mi"}},
           "containers": [{"resources": {"limits": {"hugepages-2Mi": "4Mi", "cpu": 1}}}]})",
       {{"cpu", "1"}, {"hugepages-2Mi", "8388608"}}},
      {"its request and not its limit",
       R"({"resources": {"limits": {"cpu": 8}, "requests": {"cpu": 2}}, "containers": [{}]})",
       {{"cpu", "2"}}},
  });
}

TEST(PodRequests, IsInThousandthsAsTheApiServerStoresIt) {
  expect_requests({{"less than that",
                    R"({"overhead": {"cpu": "1n"},
                       "containers": [{"resources": {"requests": {"cpu": "0.1m"}}},
                                      {"resources": {"limits": {"cpu": "1.0001"}}}]})",
                    {{"cpu", "1003m"}}}});
}

TEST(PodRequests, OfWhatTheApiServerRefusesIsNothing) {
  expect_requests({
      {"no spec", "null", {}},
      {"a text", R"("containers")", {}},
      {"no list", R"({"containers": {"a": {"resources": {"requests": {"cpu": 1}}}}})", {}},
      {"no containers", R"({"containers": [null, 5, "x", []], "initContainers": 5})", {}},
      {"no quantities",
       R"({"overhead": [], "resources": {"limits": 5},
           "containers": [{"resources": {"requests": {"cpu": "much", "memory": true, "x": -1}}},
                          {"resources": {"requests": ["cpu"], "limits": "cpu"}}]})",
       {}},
  });
}

}  // namespace
}  // namespace mc::api
