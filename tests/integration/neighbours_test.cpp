#include <algorithm>
#include <chrono>
#include <iostream>

#include "tests/integration/story.h"
#include "tests/support/metrics.h"

// The webhook is off, and a user stores whatever the CRD accepts. Other users are not affected.
namespace mc::test {
namespace {

using std::chrono::steady_clock;

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

class Neighbours : public ControllerAloneStory {
 protected:
  static constexpr int kGood = 15, kRounds = 2;

  // Seconds from the first `kubectl create` until all their objects exist.
  static double of_one_round() {
    const Namespace there(Stage::get().kubectl());
    json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
    for (int i = 0; i < kGood; ++i)
      list["items"].push_back(minicluster("good-" + std::to_string(i)));
    const auto begin = steady_clock::now();
    there.kubectl().must({"create", "-f", "-"}, list.dump());
    there.kubectl().must(
        {"wait", "--for=condition=ObjectsReady", "miniclusters", "--all", "--timeout=60s"});
    const std::chrono::duration<double> took = steady_clock::now() - begin;
    there.kubectl().must({"delete", "miniclusters", "--all", "--wait=false"});
    there.kubectl().must({"wait", "--for=delete", "miniclusters", "--all", "--timeout=60s"});
    return took.count();
  }

  // The minimum of some rounds, because other load only adds to the time.
  static double seconds_for_all() {
    double least = of_one_round();
    for (int i = 1; i < kRounds; ++i) least = std::min(least, of_one_round());
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

  static double metric(const std::string& family) {
    return sum_of(Stage::get().controller_metrics(), family);
  }
};

TEST_F(Neighbours, OfHostileObjectsOfAMegabyteAreServedAsWithoutThem) {
  const double alone = seconds_for_all(), memory = metric("process_resident_memory_bytes");
  const std::vector<std::string> stored = store_hostile_objects();
  EXPECT_GE(stored.size(), 10U);
  const double beside = seconds_for_all();
  const auto told = [&](const std::string& name) {
    return condition(kubectl, name, "Accepted", "False") ||
           condition(kubectl, name, "Accepted", "True");
  };
  for (const std::string& name : stored) {
    EXPECT_TRUE(eventually([&] { return told(name); })) << name;
  }
  const double grown = (metric("process_resident_memory_bytes") - memory) / (1 << 20);
  std::cout << kGood << " MiniClusters alone: " << alone << " s, beside " << stored.size()
            << " hostile ones: " << beside << " s; memory before " << memory / (1 << 20)
            << " MiB, more with them: " << grown << " MiB\n";
  EXPECT_LT(beside, 1.5 * alone) << "1.1, and what other work on the machine makes of it";
  EXPECT_EQ(metric("controller_runtime_reconcile_panics_total"), 0);
  EXPECT_LT(grown, 128) << "of the chart's 512";
}

}  // namespace
}  // namespace mc::test
