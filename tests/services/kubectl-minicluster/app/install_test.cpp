#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/version.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

namespace fs = std::filesystem;
using test::must_run;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const std::string kProgram = "kubectl-minicluster";

// The program under its own name, and links to it under all others.
void expect_all_names(const fs::path& folder) {
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / kProgram)));
  for (const char* name : {"kubectl-mc", "kubectl_complete-minicluster", "kubectl_complete-mc"}) {
    const fs::path link = folder / name;
    ASSERT_TRUE(fs::is_symlink(link)) << link;
    EXPECT_EQ(fs::read_symlink(link), kProgram);
    // Under the names for completion it answers kubectl: candidates, then what to do with them.
    if (std::string_view(name).starts_with("kubectl_complete-")) {
      EXPECT_THAT(must_run({link, "sus"}), MatchesRegex("suspend\t.*\n:4\n"));
    } else {
      EXPECT_EQ(must_run({link, "--version"}), kProgram + " " + version() + "\n");
    }
  }
}

TEST(InstallPlugin, TheProgramHasItsOtherNamesBesideIt) {
  expect_all_names(test::build_dir() / "bin");
}

TEST(InstallPlugin, MakeInstallsAllNames) {
  const fs::path build = test::build_dir();
  if (build.parent_path() != test::source_dir() / "build") {
    GTEST_SKIP() << build << " is no build of a preset";
  }
  const test::TemporaryFolder folder;
  must_run({"make", "-C", test::source_dir(), "install-plugin",
            "plugin_build=" + build.filename().string(), "DESTDIR=" + folder.path().string(),
            "PREFIX=/opt/tools"},
           {}, std::chrono::seconds(300));
  expect_all_names(folder.path() / "opt/tools/bin");
}

// As release/artifacts.sh makes it, but on this system.
TEST(InstallPlugin, TheArchiveOfAReleaseNeedsNothingButGlibc) {
  const test::TemporaryFolder folder;
  const fs::path root = folder.path() / "root", archive = folder.path() / "plugin.tar.gz";
  const fs::path unpacked = folder.path() / "unpacked";
  fs::create_directory(unpacked);
  must_run(
      {test::source_dir() / "cmake/image-root.sh", test::build_dir() / "bin" / kProgram, root});
  must_run({test::source_dir() / "release/plugin.sh", root, archive});
  must_run({"tar", "-xzf", archive, "-C", unpacked});
  expect_all_names(unpacked / "bin");
  int found = 0;
  for (const std::string& line : test::lines_of(must_run({"ldd", unpacked / "bin" / kProgram}))) {
    if (line.find(" => ") == line.npos) continue;  // the loader and the kernel's part
    const std::string library(line, line.find_first_not_of("\t "));
    if (library.starts_with("libc.so.") || library.starts_with("libm.so.")) continue;
    EXPECT_THAT(line, HasSubstr((unpacked / "bin/../lib" / kProgram).string()));
    ++found;
  }
  EXPECT_GT(found, 5);
  EXPECT_TRUE(fs::exists(unpacked / "share" / kProgram / (kProgram + ".spdx.json")));
}

}  // namespace
}  // namespace mc::kubectl
