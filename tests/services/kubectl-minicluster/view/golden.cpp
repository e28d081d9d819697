#include "tests/services/kubectl-minicluster/view/golden.h"

#include "common/base/yaml.h"
#include "tests/support/folders.h"
#include "tests/support/golden.h"
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
  test::expect_golden(here() / "golden" / name, text);
}

}  // namespace mc::kubectl
