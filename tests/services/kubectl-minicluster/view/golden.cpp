#include "tests/services/kubectl-minicluster/view/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "common/base/yaml.h"
#include "tests/support/folders.h"
#include "tests/support/must.h"

namespace mc::kubectl {
namespace {

std::filesystem::path here() {
  return test::source_dir() / "tests/services/kubectl-minicluster/view";
}

}  // namespace

std::vector<json> recorded(const std::string& file) {
  return test::must(parse_yaml(test::text_of(here() / file)));
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = here() / "golden" / name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(file, std::ios::binary) << text;
  EXPECT_EQ(test::text_of(file), text) << name << "; UPDATE_GOLDEN=1 writes it";
}

}  // namespace mc::kubectl
