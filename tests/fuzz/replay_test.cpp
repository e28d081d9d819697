#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "tests/fuzz/targets.h"
#include "tests/support/folders.h"

// Runs every input of corpus/ through its target: the seeds, and each input that once broke a
// property. A property that does not hold aborts the program.
namespace mc::fuzz {

namespace fs = std::filesystem;

bool replaying() { return true; }

const std::map<std::string, FuzzTarget>& all_targets() {
  static const std::map<std::string, FuzzTarget> kAll = {
      {"accounts", accounts},           {"admission_review", admission_review},
      {"broker_config", broker_config}, {"curve_certificate", curve_certificate},
      {"duration", duration},           {"hostlist", hostlist},
      {"http_request", http_request},   {"kubeconfig", kubeconfig},
      {"manifest", manifest},           {"minicluster", minicluster},
      {"quantity", quantity},           {"script", script},
      {"shell_words", shell_words},     {"watch_line", watch_line},
  };
  return kAll;
}

std::vector<fs::path> inputs_of(const std::string& target) {
  std::vector<fs::path> folders = {test::source_dir() / "tests/fuzz/corpus" / target};
  if (target == "minicluster" || target == "manifest") {
    folders.push_back(test::source_dir() / "examples");
  }
  std::vector<fs::path> out;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_regular_file()) out.push_back(entry.path());
    }
  }
  std::ranges::sort(out);
  return out;
}

namespace {

struct Input {
  std::string target;
  fs::path file;
};

std::vector<Input> all_inputs() {
  std::vector<Input> out;
  for (const auto& [target, unused] : all_targets()) {
    for (const fs::path& file : inputs_of(target)) out.push_back({target, file});
  }
  return out;
}

std::string test_name(const ::testing::TestParamInfo<Input>& info) {
  std::string name = info.param.target + "_" + info.param.file.filename().string();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class Corpus : public ::testing::TestWithParam<Input> {};

TEST_P(Corpus, HoldsTheProperties) {
  std::ifstream file(GetParam().file, std::ios::binary);
  ASSERT_TRUE(file) << GetParam().file;
  const std::string input(std::istreambuf_iterator<char>(file), {});
  all_targets().at(GetParam().target)(input);
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, ::testing::ValuesIn(all_inputs()), test_name);

TEST(Targets, HaveEachAFolderOfInputsAndNoOtherFolderIsThere) {
  std::vector<std::string> folders, names;
  for (const auto& entry : fs::directory_iterator(test::source_dir() / "tests/fuzz/corpus")) {
    folders.push_back(entry.path().filename().string());
  }
  for (const auto& [target, unused] : all_targets()) names.push_back(target);
  std::ranges::sort(folders);
  EXPECT_EQ(folders, names);
}

}  // namespace
}  // namespace mc::fuzz
