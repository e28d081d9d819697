#include <cstdlib>
#include <iostream>
#include <string>

#include "common/kube/config.h"
#include "services/api_resources.h"
#include "tests/integration/quota_story.h"
#include "tests/support/must.h"

// Many that wait, and what one admission then costs. As many as the environment variable CROWD
// says:
//
//   CROWD=10000 tests/run.sh --stories '^integration$' (and the filter QuotaCrowd.*)
namespace mc::test {
namespace {

using std::chrono::seconds;

int crowd() {
  const char* const value = std::getenv("CROWD");
  return value == nullptr ? 100 : std::stoi(value);
}

class QuotaCrowd : public QuotaStory {
 protected:
  void submit_crowd(int count) {
    const auto transport =
        must(kube::Transport::create(must(kube::load_config(kubectl.kubeconfig())), {}));
    const kube::Client client(*transport);
    for (int i = 0; i < count; ++i) {
      json object = minicluster("waits-" + std::to_string(i));
      object["metadata"]["namespace"] = kubectl.namespace_name();
      must(client.create(kMiniClusters, object));
    }
  }

  static double waiting() { return counted("minicluster_quota_waiting", "reason=\"Waiting\""); }
  static double writes() {
    return counted("rest_client_requests_total", "method=\"PATCH\"") +
           counted("rest_client_requests_total", "method=\"PUT\"") +
           counted("rest_client_requests_total", "method=\"POST\"");
  }
  static double decisions() { return counted("minicluster_quota_decision_seconds_count"); }
  static double deciding() { return counted("minicluster_quota_decision_seconds_sum"); }
};

TEST_F(QuotaCrowd, AnAdmissionWritesAndDecidesAsLittleHoweverManyWait) {
  const int count = crowd();
  limit({{"hard", {{"miniclusters", "1"}}}});
  create(minicluster("first"));
  is("first", "Running");
  submit_crowd(count);
  ASSERT_TRUE(eventually([&] { return waiting() == count; }, seconds(60 + count / 10)))
      << waiting();
  ASSERT_TRUE(eventually([&] { return static_cast<int>(in_phase("Waiting").size()) == count; },
                         seconds(60 + count / 10)))
      << "and all of them say so";
  ASSERT_TRUE(eventually(
      [&] { return !kubectl.get({"miniclusters"}).dump().contains("has not decided yet"); },
      seconds(60 + count / 10)))
      << "and how many are before them: these writes are not the admission's";
  const double before = writes(), decided = decisions(), spent = deciding();
  const auto start = std::chrono::steady_clock::now();
  end_lead("first", 0);
  ASSERT_TRUE(eventually([&] { return waiting() == count - 1; }));
  ASSERT_TRUE(eventually([&] { return in_phase("Running").size() == 1; }, seconds(60)));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << count << " wait: the next one runs after " << took.count() << " s, with "
            << writes() - before << " writes and " << decisions() - decided << " decisions of "
            << 1e6 * (deciding() - spent) / (decisions() - decided)
            << " us; resident memory of the controller: "
            << counted("process_resident_memory_bytes") / (1 << 20) << " MiB" << std::endl;
  EXPECT_LT(writes() - before, 60) << "not a write for each that waits";
}

}  // namespace
}  // namespace mc::test
