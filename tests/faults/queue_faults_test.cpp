#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <set>
#include <string>

#include "common/base/json.h"
#include "common/base/text.h"
#include "tests/faults/queue_audit.h"
#include "tests/faults/queue_users.h"
#include "tests/faults/two_replicas.h"
#include "tests/support/eventually.h"

// A FluxSetup's queue under the faults of Chaos, while MiniClusters are created, resized, deleted
// and finished, Jobs that wait are resumed by others, and the FluxSetup is changed, deleted and
// created again. Then the faults end, and what runs is ended one by one, until all have run.
//
//   SEEDS=100 FIRST_SEED=1 GTEST_FILTER='*QueueChaos*' tests/run.sh '^faults$'
namespace mc::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kQueueActs = 60;
constexpr const char* kManagedBy = "app.kubernetes.io/managed-by=minicluster-operator";

// Its replicas serve all namespaces: a FluxSetup has none.
class QueueChaos : public TwoReplicas {
 protected:
  std::string watched() const override { return ""; }

  // What other stories have left would count. No kubelet ends their pods.
  static void SetUpTestSuite() {
    TwoReplicas::SetUpTestSuite();
    const Kubectl& kubectl = Stage::get().kubectl();
    for (const json& one : kubectl.items({"miniclusters", "--all-namespaces"})) {
      kubectl({"delete", "minicluster", text_at(one, {"metadata", "name"}), "--wait=false", "-n",
               text_at(one, {"metadata", "namespace"})});
    }
    EXPECT_TRUE(eventually(
        [&] {
          std::set<std::string> namespaces;
          for (const json& one :
               kubectl.items({"jobs,pods", "--all-namespaces", "-l", kManagedBy})) {
            namespaces.insert(text_at(one, {"metadata", "namespace"}));
          }
          for (const std::string& ns : namespaces) {
            kubectl({"delete", "jobs,pods", "-l", kManagedBy, "--force", "--wait=false", "-n", ns});
          }
          return namespaces.empty();
        },
        seconds(120)))
        << kubectl({"get", "jobs,pods", "--all-namespaces"}).out;
  }

  void TearDown() override { kubectl({"delete", "miniclusters", "--all"}); }

  json admission_log() const { return kubectl.get({"configmap", "minicluster-workspace"}); }

  // Nothing is under way, and nobody has a promise.
  bool is_log_empty() const {
    const json log = admission_log();
    return !log.is_null() && at_path(log, {"data"}).empty() &&
           text_at(log, {"metadata", "annotations", "flux-framework.org/promise"}).empty();
  }

  bool knows_limit(const QueueUsers& users) const {
    const json limits = kubectl.get({"configmap", "minicluster-limits"});
    const json read = json::parse(text_at(limits, {"data", "limits.json"}), nullptr, false);
    return text_at(read, {"fluxsetup"}) == users.setup() &&
           text_at(read, {"hard", "pods"}) == std::to_string(users.limit());
  }
};

TEST_P(QueueChaos, LimitsHoldNobodyStarvesAndNoPromiseIsBrokenSilently) {
  SCOPED_TRACE(how_to_replay());
  QueueUsers users(kubectl, seed());
  ASSERT_TRUE(eventually([&] { return users.is_in_force(); })) << ends_of_logs();
  under_faults(
      kQueueActs, [&] { users.act(); },
      [&] {
        while (users.make()) {
        }
        users.settle();
      });
  ASSERT_FALSE(HasFailure()) << "the API server did not do what the test itself asked for";
  EXPECT_TRUE(eventually([&] {
    keep_running();
    return knows_limit(users);
  })) << ends_of_logs();
  const auto healed = steady_clock::now();
  EXPECT_TRUE(eventually(
      [&] {
        keep_running();
        users.end_one();
        return users.unended().empty();
      },
      seconds(240)))
      << joined(users.unended(), "\n") << "\n"
      << admission_log().dump(2) << ends_of_logs();
  const auto ended = steady_clock::now();
  // An admission that was withheld counts for two minutes.
  EXPECT_TRUE(eventually([&] { return is_log_empty(); }, seconds(150))) << admission_log().dump(2);
  const auto emptied = steady_clock::now();
  stop();
  std::cout << "seed " << seed_ << ": all have run "
            << std::chrono::duration<double>(ended - healed).count()
            << " s after the faults, the log was empty "
            << std::chrono::duration<double>(emptied - ended).count() << " s later\n";
  const auto blamed = blame_queue(kubectl.control_plane() / "audit.log", kubectl.namespace_name());
  EXPECT_TRUE(blamed.empty()) << joined(blamed, "\n");
}

INSTANTIATE_TEST_SUITE_P(Seed, QueueChaos, seeds(1), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace mc::test
