#include "tests/integration/nodes.h"

#include <gtest/gtest.h>

#include "tests/support/eventually.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

// The programs may have to be built first.
constexpr std::chrono::minutes kBuild{15};

}  // namespace

Nodes::Nodes(const Kubectl& kubectl, int count) : kubectl_(kubectl) {
  control_plane("nodes");
  for (int i = 0; i < count; ++i) add("node-" + std::to_string(i), 1000);
  kubectl_.must({"wait", "--for=condition=Ready", "nodes", "--all", "--timeout=30s"});
}

Nodes::~Nodes() {
  EXPECT_TRUE(eventually([&] {
    const std::vector<std::string> scheduled = {
        "get", "pods", "-A", "--field-selector=spec.nodeName!=", "-o", "name"};
    const Outcome outcome = kubectl_(scheduled);
    return outcome.code == 0 && outcome.out.empty();
  })) << kubectl_({"get", "pods", "-A", "-o", "wide"}).out;
  kubectl_.must({"delete", "nodes", "--all"});
  control_plane("no-nodes");
}

void Nodes::add(const std::string& name, int cpus, const json& labels) const {
  const json room = {{"cpu", std::to_string(cpus)}, {"memory", "1Ti"}, {"pods", "1000"}};
  kubectl_.must({"create", "-f", "-"},
                json({{"apiVersion", "v1"},
                      {"kind", "Node"},
                      {"metadata", {{"name", name}, {"labels", labels}}},
                      {"status", {{"capacity", room}, {"allocatable", room}}}})
                    .dump());
}

void Nodes::control_plane(const std::string& command) const {
  must_run(
      {source_dir() / "tests/control_plane/control-plane.sh", command, kubectl_.control_plane()},
      {}, kBuild);
}

}  // namespace mc::test
