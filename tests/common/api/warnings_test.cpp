#include <gtest/gtest.h>

#include "common/api/examine.h"
#include "tests/common/api/base_object.h"

namespace mc::api {
namespace {

using Warnings = std::vector<std::string>;

TEST(Warnings, SayWhatHasNoEffectAndTheObjectIsAcceptedAllTheSame) {
  const struct {
    const char* patch;
    Warnings warnings;
  } cases[] = {
      {"{}", {}},
      {R"({"spec": {"containers": [{"name": "mine"}]}})",
       {"spec.containers[0].name: has no effect: the container that runs Flux is named like the "
        "MiniCluster"}},
      {R"({"spec": {"containers": [{"name": "sample"}]}})", {}},
      {R"({"spec": {"containers": [{"runFlux": true},
          {"name": "b", "launcher": true, "commands": {"script": "x"}}]}})",
       {"spec.containers[1].launcher: has no effect: this container does not run Flux",
        "spec.containers[1].commands.script: has no effect: this container does not run Flux"}},
      {R"({"spec": {"containers": [{"volumes": {"d": {"path": "/d", "hostPath": "/d",
          "items": {"a": "b"}, "csiDriverAttributes": {"a": "b"}, "emptyDirMedium": "memory"}}}]}})",
       {"spec.containers[0].volumes[d].items: has no effect: only a ConfigMap or a Secret has "
        "items",
        "spec.containers[0].volumes[d].csiDriverAttributes: has no effect without csiDriver",
        "spec.containers[0].volumes[d]: emptyDirMedium and emptyDirSizeLimit have no effect "
        "without emptyDir"}},
      {R"({"spec": {"flux": {"arch": "arm"}}})",
       {"spec.flux.arch: has no effect: nothing is downloaded"}},
      {R"({"spec": {"sise": 3}})", {"spec.sise: unknown field, did you mean \"size\"?"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.patch);
    const Examination examination = examine(test::with_patch(c.patch));
    EXPECT_EQ(examination.warnings, c.warnings);
    EXPECT_TRUE(examination.errors.empty());
  }
}

}  // namespace
}  // namespace mc::api
