#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/app/options.h"
#include "tests/support/folders.h"
#include "tests/support/temporary_folder.h"

// docs/slurm.md names only commands that the plugin has.
namespace mc::docs {
namespace {

constexpr std::string_view kPlugin = "kubectl minicluster ";

// What stands between backticks and begins with the plugin's name, without that.
std::vector<std::string> commands_of_the_page() {
  std::vector<std::string> out;
  for (const std::string& line : test::lines_of(test::text_of("docs/slurm.md"))) {
    std::istringstream spans(line);
    bool is_code = false;
    for (std::string span; std::getline(spans, span, '`'); is_code = !is_code) {
      if (is_code && span.starts_with(kPlugin)) out.push_back(span.substr(kPlugin.size()));
    }
  }
  return out;
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream in(command);
  std::vector<std::string> words = {"kubectl-minicluster"};
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::expected<kubectl::Options, Exit> read_as_the_program(const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return kubectl::parse_options(static_cast<int>(arguments.size()), arguments.data());
}

// In a folder with the scripts that the page names.
class SlurmPage : public ::testing::Test {
 protected:
  SlurmPage() {
    std::ofstream(folder_ / "script.sh") << "#!/bin/sh\nhostname\n";
    std::ofstream(folder_ / "job.sh") << "#!/bin/bash\n#SBATCH --nodes=4 --time=30\n"
                                         "#flux: --job-name=job\nflux run -n 16 hostname\n";
    std::filesystem::current_path(folder_.path());
  }
  ~SlurmPage() override { std::filesystem::current_path(before_); }
  SlurmPage(const SlurmPage&) = delete;
  SlurmPage& operator=(const SlurmPage&) = delete;

 private:
  const test::TemporaryFolder folder_;
  const std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(SlurmPage, EachCommandIsOneOfThePlugin) {
  const std::vector<std::string> commands = commands_of_the_page();
  EXPECT_GE(commands.size(), 35U);
  for (const std::string& command : commands) {
    const auto options = read_as_the_program(words_of(command));
    EXPECT_TRUE(options) << command << ": " << options.error().text;
  }
}

TEST_F(SlurmPage, EachMiniClusterIsOneThatAdmissionAccepts) {
  int made = 0;
  for (const std::string& command : commands_of_the_page()) {
    std::vector<std::string> words = words_of(command);
    const bool creates = words[1] == "run" || words[1] == "submit";
    if (!creates || std::ranges::count(words, "-f") > 0) continue;
    std::ranges::replace(words, "IMAGE", "ubuntu:24.04");
    std::ranges::replace(words, "NAME", "name");
    std::erase(words, "--detach");
    words.insert(words.begin() + 2, "--dry-run");
    const auto options = read_as_the_program(words);
    ASSERT_TRUE(options) << command;
    std::ostringstream out, err;
    EXPECT_EQ(options->verb({options->cluster, {.out = out, .err = err}}), 0)
        << command << err.str();
    EXPECT_EQ(err.str(), "") << command;
    ++made;
  }
  EXPECT_GE(made, 15);
}

}  // namespace
}  // namespace mc::docs
