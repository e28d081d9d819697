#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/support/folders.h"

// common/render/scripts/README.md has a row for each file that the scripts exchange in a pod.
namespace mc::docs {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using Names = std::set<std::string>;

const std::string kScripts = "common/render/scripts/";

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The last part of each path below a folder that containers share, of each of our status files, and
// of each key in Flux's KVS that the lines of a script name. A comment is no line.
void collect_named(const std::string& text, Names& out) {
  static const std::regex in_folder(
      R"(\$(mc_mount|mc_config|mc_dir|mc_defaults|mc_rc|mc_folder|cfg|FLUX_OUTPUT_DIR))"
      R"((/[A-Za-z0-9_.-]+)+)");
  static const std::regex status(
      R"((flux-operator-[a-z]+(\.txt)?|minicluster\.(left|cores|alone)))");
  static const std::regex beside(R"(\$(mc_copies|mc_resources)(\.[a-z]+))");
  for (const std::string& line : test::lines_of(text)) {
    if (line.find_first_not_of(" \t") == line.find('#')) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), in_folder), end; at != end; ++at)
      out.insert(last_part(at->str()));
    for (std::sregex_iterator at(line.begin(), line.end(), status), end; at != end; ++at)
      out.insert(at->str());
    for (std::sregex_iterator at(line.begin(), line.end(), beside), end; at != end; ++at)
      out.insert(at->str(1) == "mc_copies" ? "flux-operator-copies" + at->str(2)
                                           : "R" + at->str(2));
  }
}

Names named_by_scripts() {
  Names out;
  for (const std::string& path : test::all_files()) {
    if (path.starts_with(kScripts) && path.ends_with(".sh"))
      collect_named(test::text_of(path), out);
  }
  return out;
}

// The paths between backticks in the first cells of the tables of files.
Names rows_of(const std::string& page) {
  static const std::regex name("`([^`]+)`");
  Names out;
  bool inside = false;
  for (const std::string& line : test::lines_of(page)) {
    if (line.starts_with("## ")) inside = line == "## Files in the pod";
    if (!inside || !line.starts_with("| ")) continue;
    const std::string cell = line.substr(0, line.find(" | "));
    for (std::sregex_iterator at(cell.begin(), cell.end(), name), end; at != end; ++at)
      out.insert(at->str(1));
  }
  return out;
}

// Whether a part of one of these paths is `name`, or begins with it if a variable follows.
bool has_part(const Names& paths, std::string name) {
  while (name.ends_with('.')) name.pop_back();  // before the number of a process
  const bool goes_on = name.ends_with('-') || name == "minicluster.alone";
  for (const std::string& path : paths) {
    for (const auto& part : std::filesystem::path(path)) {
      if (part == name || (goes_on && part.string().starts_with(name))) return true;
    }
  }
  return false;
}

// Those of `names` that no path has.
Names missing(const Names& names, const Names& paths) {
  Names out;
  for (const std::string& name : names) {
    if (!has_part(paths, name)) out.insert(name);
  }
  return out;
}

Names rows() { return rows_of(test::text_of(kScripts + "README.md")); }

TEST(PodFiles, EachThatAScriptNamesHasARow) {
  const Names named = named_by_scripts();
  EXPECT_THAT(named, IsSupersetOf({"R", "R.pod", "curve.cert", "flux-operator-alive",
                                   "flux-operator-code.txt", "flux-operator-copies.done",
                                   "minicluster.left"}));
  EXPECT_THAT(missing(named, rows()), IsEmpty());
}

TEST(PodFiles, EachRowOfAStatusFileIsAFileOfAScript) {
  const Names named = named_by_scripts();
  for (const std::string& path : rows()) {
    if (!path.starts_with("flux-operator-")) continue;
    EXPECT_TRUE(named.contains(path)) << path;
  }
}

TEST(PodFiles, OneWithoutARowIsFound) {
  Names named;
  collect_named(
      "cat \"$mc_mount/config/x\" >$mc_mount/flux-operator-new.txt\n  # $mc_dir/no.sh\n"
      ". $mc_dir/container-$N; flux kvs get minicluster.alone.$X; : >\"$mc_mount/x.sh.$$\"\n",
      named);
  const std::string page =
      "| `x` | y |\n## Files in the pod\n| File | Who |\n| --- | --- |\n"
      "| `config/y/z`, `container-N/n` | `x` |\n| `minicluster.alone.J`, in the KVS | |\n";
  EXPECT_EQ(missing(named, rows_of(page)), (Names{"flux-operator-new.txt", "x", "x.sh."}));
}

}  // namespace
}  // namespace mc::docs
