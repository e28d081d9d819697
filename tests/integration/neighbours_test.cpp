#include <iostream>
#include <utility>

#include "tests/integration/story.h"
#include "tests/support/metrics.h"

// The webhook is off, and a user stores whatever the CRD accepts. Other users are not affected.
namespace mc::test {
namespace {

std::string many(std::size_t count, const std::string& part, const std::string& between = "") {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : between) + part;
  return out;
}

// `"x0":VALUE,"x1":VALUE, ...`
std::string members(std::size_t count, const std::string& value) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "\"x" : ",\"x") + std::to_string(i) + "\":" + value;
  }
  return out;
}

struct Hostile {
  const char* what;
  std::string metadata, container, spec;  // members of each, as JSON
};

std::vector<Hostile> hostile_objects() {
  const std::string bomb = many(2'000, "a[0-99999]", ",");
  return {
      {"half a million values", "", "",
       R"("pod":{"template":{"spec":{"volumes":[)" + many(450'000, "{}", ",") + "]}}}"},
      {"a hundred thousand members", "", "",
       R"("pod":{"template":{"metadata":{"annotations":{)" + members(100'000, "{}") + "}}}}"},
      {"9,000 levels", "", "",
       R"("pod":{"template":{"spec":{"affinity":)" + many(9'000, "[") + many(9'000, "]") + "}}}"},
      {"1 MB of text in the template", "", "",
       R"("pod":{"template":{"spec":{"hostname":")" + many(1'000'000, "h") + "\"}}}"},
      {"20,000 labels", R"("labels":{)" + members(20'000, "\"\"") + "}", "", ""},
      {"250 KB of annotations", R"("annotations":{)" + members(20'000, "\"\"") + "}", "", ""},
      {"a bursting hostlist of many hosts", "", "",
       R"("flux":{"bursting":{"leadBroker":{"address":"a","name":"b","port":8050,"size":4},"hostlist":")" +
           bomb + "\"}}"},
      {"a broker.toml of many hosts", "", "",
       R"("flux":{"brokerConfig":"[bootstrap]\nhosts = [{host=\")" + bomb + R"(\"}]\n"})"},
      {"a broker.toml of 1 MB that is none", "", "",
       R"("flux":{"brokerConfig":")" + many(1'000'000, "[") + "\"}"},
      {"a certificate of 1 MB that is none", "", "",
       R"("flux":{"curveCert":")" + many(1'000'000, "#") + "\"}"},
      {"a command of 1 MB", "", R"("commands":{"pre":")" + many(1'000'000, "'") + "\"}", ""},
      {"9,000 variables", "", R"("environment":{)" + members(9'000, "\"$(A)\"") + "}", ""},
      {"quantities without an end", "",
       R"("resources":{"limits":{"cpu":"1)" + many(100'000, "0") +
           R"(","memory":"1e999999999"},"requests":{"cpu":-1e308}})",
       ""},
      {"the largest numbers", "", "",
       R"("size":2147483647,"maxSize":2147483647,"tasks":2147483647,"deadlineSeconds":9223372036854775807)"},
      {"a thousand services", "", "",
       R"("services":[)" + many(1'000, R"({"image":"i","name":"s"})", ",") + "]"},
      {"a thousand containers", "", "",
       R"("containers":[)" + many(1'000, R"({"image":"i","runFlux":true})", ",") + "]"},
  };
}

std::string text_of(const Hostile& one, std::size_t number) {
  const auto with = [](const std::string& more) { return more.empty() ? "" : "," + more; };
  const bool own_containers = one.spec.starts_with("\"containers\"");
  const bool own_size = one.spec.starts_with("\"size\"");
  return R"({"apiVersion":"flux-framework.org/v1alpha2","kind":"MiniCluster","metadata":{"name":"hostile-)" +
         std::to_string(number) + "\"" + with(one.metadata) + R"(},"spec":{"interactive":false)" +
         (own_size ? "" : R"(,"size":2)") +
         (own_containers
              ? ""
              : R"(,"containers":[{"image":"i","command":"c")" + with(one.container) + "}]") +
         with(one.spec) + "}}";
}

// What the controller has done since its start: its own CPU time and its counts. Elapsed time would
// be that of the API server, and of whatever else runs on the machine.
struct Work {
  double cpu_seconds, reconciles, requests;

  Work operator-(const Work& before) const {
    return {cpu_seconds - before.cpu_seconds, reconciles - before.reconciles,
            requests - before.requests};
  }
};

std::ostream& operator<<(std::ostream& out, const Work& work) {
  return out << work.cpu_seconds << " s of CPU, " << work.reconciles << " reconciles, "
             << work.requests << " requests";
}

class Neighbours : public ControllerAloneStory {
 protected:
  static constexpr int kGood = 15, kRounds = 2;

  // Once the controller has nothing to do.
  static Work settled() {
    Work now{}, before{-1, -1, -1};
    EXPECT_TRUE(eventually([&] {
      before = std::exchange(now, work());
      return now.reconciles == before.reconciles && metric("workqueue_depth") == 0 &&
             metric("controller_runtime_active_workers") == 0;
    }));
    return now;
  }

  // Of the lives of some MiniClusters, from `kubectl create` until they are deleted.
  static Work of_one_round() {
    const Namespace there(Stage::get().kubectl());
    json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
    for (int i = 0; i < kGood; ++i)
      list["items"].push_back(minicluster("good-" + std::to_string(i)));
    const Work before = settled();
    there.kubectl().must({"create", "-f", "-"}, list.dump());
    there.kubectl().must(
        {"wait", "--for=condition=ObjectsReady", "miniclusters", "--all", "--timeout=60s"});
    there.kubectl().must({"delete", "miniclusters", "--all"});
    // Does the garbage collector's work now: it would come during what is measured next.
    there.kubectl().must({"delete", "jobs,pods,services,configmaps", "--selector",
                          "app.kubernetes.io/managed-by=minicluster-operator"});
    return settled() - before;
  }

  // The minimum of some rounds: the first one fills caches, and a busy processor is slower.
  static Work of_good_ones(const char* what) {
    Work least{};
    for (int i = 0; i < kRounds; ++i) {
      const Work one = of_one_round();
      std::cout << kGood << " MiniClusters " << what << ": " << one << "\n";
      if (i == 0 || one.cpu_seconds < least.cpu_seconds) least = one;
    }
    return least;
  }

  // Stores the hostile objects; returns those that the CRD accepted.
  std::vector<std::string> store_hostile_objects() const {
    std::vector<std::string> stored;
    for (const Hostile& one : hostile_objects()) {
      const std::size_t number = stored.size();
      const Outcome outcome =
          kubectl({"create", "--validate=false", "-f", "-"}, text_of(one, number));
      if (outcome.code == 0) {
        stored.emplace_back("hostile-" + std::to_string(number));
      } else {
        EXPECT_FALSE(outcome.err.contains("connection")) << outcome.err.substr(0, 300);
      }
      std::cout << one.what << ": " << (outcome.code == 0 ? "stored" : outcome.err.substr(0, 200))
                << "\n";
    }
    return stored;
  }

  // Once every one of them has been accepted or refused.
  void wait_until_told(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      EXPECT_TRUE(eventually([&] {
        return condition(kubectl, name, "Accepted", "False") ||
               condition(kubectl, name, "Accepted", "True");
      })) << name;
    }
  }

  static Work work() {
    return {metric("process_cpu_seconds_total"), metric("controller_runtime_reconcile_total"),
            metric("rest_client_requests_total")};
  }

  static double metric(const std::string& family) {
    return sum_of(Stage::get().controller_metrics(), family);
  }
};

TEST_F(Neighbours, OfHostileObjectsOfAMegabyteAreServedAsWithoutThem) {
  const Work alone = of_good_ones("alone");
  const double memory = metric("process_resident_memory_bytes");
  const Work before = settled();
  const std::vector<std::string> stored = store_hostile_objects();
  EXPECT_GE(stored.size(), 10U);
  wait_until_told(stored);
  const Work hostile = settled() - before;
  const Work beside = of_good_ones("beside the hostile ones");
  const double grown = (metric("process_resident_memory_bytes") - memory) / (1 << 20);
  std::cout << stored.size() << " hostile ones: " << hostile << "; memory before "
            << memory / (1 << 20) << " MiB, more with them: " << grown << " MiB\n";

  EXPECT_LT(beside.cpu_seconds, 1.5 * alone.cpu_seconds) << "1.0, and a busy processor";
  EXPECT_LT(beside.requests, 1.2 * alone.requests);
  const auto count = static_cast<double>(stored.size());
  const double one_good = alone.cpu_seconds / kGood, one_hostile = hostile.cpu_seconds / count;
  EXPECT_LT(one_hostile, 20 * one_good) << "4, for 500 times as many bytes";
  EXPECT_LT(hostile.reconciles, 3 * count) << "told once, and not tried again";
  EXPECT_EQ(metric("controller_runtime_reconcile_panics_total"), 0);
  EXPECT_LT(grown, 192) << "120 if all are handled at the same time; the chart's limit is 512";
}

}  // namespace
}  // namespace mc::test
