#include "tests/support/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/api/examine.h"
#include "common/base/yaml.h"
#include "common/render/render.h"
#include "tests/common/render/pod_dir.h"
#include "tests/support/folders.h"

// Compares every object of the examples with a file in golden/ to that file. The scripts' texts are
// left out, because they are files of the repository. UPDATE_GOLDEN=1 regenerates the files.
namespace mc::render {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUid = "6f2a1c9e-1b7d-4c55-9f5e-0a1b2c3d4e5f";

std::string objects_of(json example) {
  example["metadata"]["namespace"] = "default";
  example["metadata"]["uid"] = kUid;
  const api::Examination examination = api::examine(example);
  EXPECT_THAT(examination.errors, ::testing::IsEmpty());
  std::string out;
  for (json& object : render(examination.cluster, "placeholder\n")) {
    if (object["kind"] == "ConfigMap") {
      for (const char* script : {"batch.sh", "common.sh", "flux-init.sh", "lead.sh", "start.sh",
                                 "timed.sh", "wait.sh"}) {
        if (object["data"].contains(script)) object["data"][script] = "(script)\n";
      }
    }
    out += "---\n" + to_yaml(object);
  }
  return out;
}

TEST(Golden, ExamplesHaveTheseObjects) {
  std::size_t count = 0;
  const fs::path folder = test::source_dir() / "tests/common/render/golden";
  for (const auto& golden : fs::directory_iterator(folder)) {
    SCOPED_TRACE(golden.path().filename());
    const fs::path example = test::source_dir() / "examples" / golden.path().filename();
    const auto documents = parse_yaml(test::text_of(example));
    ASSERT_TRUE(documents.has_value());
    std::string objects;
    for (const json& document : *documents) objects += objects_of(document);
    test::expect_golden(golden.path(), objects);
    ++count;
  }
  EXPECT_EQ(count, 6U);
}

}  // namespace
}  // namespace mc::render
