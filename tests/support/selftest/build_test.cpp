#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/folders.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kControlPlane = source_dir() / "tests/control_plane";

void write_program(const std::filesystem::path& path, const std::string& script) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

// A fake Go on PATH that reports a given version, builds empty programs and records them in
// `built`. The cache is empty, and the assets contain only kubectl.
class Build : public ::testing::Test {
 protected:
  Build() {
    write_program(folder / "bin/go", R"(
case $1 in
  env) [ "$2" = GOVERSION ] && echo "$GO_SAYS" || echo "$TOOLCHAIN_SAYS" ;;
  list) [ -z "$UNLISTED" ] && echo v1.34.0 ;;
  build)
    [ -z "$BROKEN" ] || { echo "no such host" >&2; exit 1; }
    while [ "$1" != -o ]; do shift; done
    echo "${2##*/}" >>"$BUILT"
    : >"$2" && chmod +x "$2"
    ;;
esac
)");
    write_program(folder / "assets/kubectl", "");
  }

  Outcome call(const std::vector<std::string>& command,
               const std::map<std::string, std::string>& more = {}) const {
    std::map<std::string, std::string> environment = {
        {"PATH", (folder / "bin").string() + ":/usr/bin:/bin"},
        {"MINICLUSTER_CACHE", folder / "cache"},
        {"KUBEBUILDER_ASSETS", folder / "assets"},
        {"GO_SAYS", "go1.99.0"},
        {"TOOLCHAIN_SAYS", "local"},
        {"BUILT", folder / "built"},
        {"UNLISTED", ""},
        {"BROKEN", ""}};
    for (const auto& [name, value] : more) environment[name] = value;
    return run(command, {.input = "", .environment = environment});
  }

  Outcome build(const std::vector<std::string>& programs,
                const std::map<std::string, std::string>& more = {}) const {
    std::vector<std::string> command = {kControlPlane / "build.sh"};
    command.insert(command.end(), programs.begin(), programs.end());
    return call(command, more);
  }

  TemporaryFolder folder;
};

TEST_F(Build, AGoOnPathIsTakenWhereItCanBuildTheModules) {
  struct Row {
    std::string version, toolchain;
    bool taken;
  };
  for (const Row& row : std::vector<Row>{
           {.version = "", .toolchain = "", .taken = false},
           {.version = "go1.9", .toolchain = "", .taken = false},
           {.version = "go1.19.8", .toolchain = "", .taken = false},
           {.version = "go1.20.14", .toolchain = "auto", .taken = false},
           {.version = "go1.21.0",
            .toolchain = "auto",
            .taken = true},  // downloads the requested version
           {.version = "go1.21.0", .toolchain = "go1.21.0+auto", .taken = true},
           {.version = "go1.21.0", .toolchain = "local", .taken = false},
           {.version = "go1.21.0", .toolchain = "path", .taken = false},
           {.version = "go1.99.0", .toolchain = "local", .taken = true},
           {.version = "go1.100.1 X:nodwarf5", .toolchain = "local", .taken = true},
       }) {
    const Outcome outcome = call({kControlPlane / "go.sh", "--on-path"},
                                 {{"GO_SAYS", row.version}, {"TOOLCHAIN_SAYS", row.toolchain}});
    EXPECT_EQ(outcome.code == 0, row.taken) << row.version << " " << row.toolchain;
    EXPECT_EQ(outcome.out, row.taken ? (folder / "bin/go\n").string() : "");
  }
}

TEST_F(Build, WhatIsNeitherInTheAssetsNorInTheCacheIsBuiltAndToldOneByOne) {
  const Outcome first = build({"kube-apiserver", "kubectl", "etcd"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out,
              ::testing::ContainsRegex("/cache/kubernetes-.*/kube-apiserver\n.*"
                                       "/assets/kubectl\n.*/cache/kubernetes-.*/etcd\n"));
  EXPECT_THAT(first.err, HasSubstr("KUBEBUILDER_ASSETS"));
  EXPECT_THAT(first.err, HasSubstr(": 0 of 2, kube-apiserver, "));
  EXPECT_THAT(first.err, HasSubstr(": 1 of 2, etcd, "));
  EXPECT_THAT(first.err, HasSubstr(": 2 of 2, done, "));
  EXPECT_THAT(first.err, Not(HasSubstr("\r")));

  const Outcome second = build({"kube-apiserver", "kubectl", "etcd"}, {{"GO_SAYS", ""}});
  EXPECT_EQ(second.code, 0) << "needs no Go: " << second.err;
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(second.err, "");
}

TEST_F(Build, ABuildThatFailsSaysWhyAndIsTriedAgain) {
  const Outcome outcome = build({"etcd"}, {{"BROKEN", "yes"}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("no such host\nbuild.sh: etcd cannot be built"));
  EXPECT_EQ(build({"etcd"}).code, 0);
}

TEST_F(Build, WithoutItsVersionNoProgramIsBuilt) {
  EXPECT_EQ(build({"etcd"}, {{"UNLISTED", "yes"}}).code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "built"));
}

TEST_F(Build, ThePathOfAProgramInARelativeFolderIsAbsolute) {
  const std::string relative = std::filesystem::relative(folder / "assets");
  EXPECT_EQ(build({"kubectl"}, {{"KUBEBUILDER_ASSETS", relative}}).out,
            (folder / "assets/kubectl\n").string());
}

TEST_F(Build, AProgramThatNoModuleBuildsIsNamed) {
  const Outcome outcome = build({"etcd", "kubecolor"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "build.sh: no module builds 'kubecolor'\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "built"));
}

// Runs the command on its own terminal.
Outcome on_terminal(const std::string& command) {
  return run({"script", "-qec", "bash -c '" + command + "'", "/dev/null"},
             {.input = "", .environment = {{"TERM", "linux"}}});
}

std::string beside(const std::string& text) {
  return "set -e; . " + (source_dir() / "tests/support/beside.sh").string() + "; " + text;
}

TEST(HowFar, IsTheLastLineWithNumbersAsABar) {
  for (const auto& [log, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "[..........]"},
           {"-- Configuring done", "[..........]"},
           {"[1/210] Building a\\n[105/210] Building [1/2]\\nwarning: of",
            "[#####.....] 105 of 210"},
           {"x: 0 of 7, etcd, 0 s", "[..........] 0 of 7, etcd"},
           {"x: 3 of 7, kubectl, 74 s\\nfetching", "[####......] 3 of 7, kubectl"},
           {"[7/7] Linking", "[##########] 7 of 7"},
       }) {
    const Outcome outcome = run({"bash", "-c", beside("how_far <(printf %b '" + log + "')")});
    EXPECT_EQ(outcome.out, words + "\n") << log << outcome.err;
  }
}

// Each waits for the other through a pipe: neither ends before both run.
const std::string kBoth = R"(
d=$(mktemp -d); mkfifo $d/a $d/b
a() { echo x: 0 of 1, etcd, 0 s; echo noise; : >$d/a; : <$d/b; echo x: 1 of 1, done, 1 s; }
b() { : <$d/a; echo [9/9] linked; : >$d/b; }
beside $d one=a two=b; rm -r $d
)";

TEST(Beside, WhatIsBuiltAtTheSameTimeIsToldByItsNumbersAlone) {
  const Outcome outcome = run({"bash", "-c", beside(kBoth)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "x: 0 of 1, etcd, 0 s\nx: 1 of 1, done, 1 s\n");
}

TEST(Beside, OnATerminalEachHasALineThatIsDrawnAnew) {
  const Outcome outcome = on_terminal(beside(kBoth));
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\r\x1b[K    one       [##########] done, "));
  EXPECT_THAT(outcome.out, HasSubstr("\r\x1b[K    two       [##########] done, "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("noise")));
}

TEST(Beside, TheFirstThatFailsEndsTheOthersAndIsShown) {
  const Outcome outcome = run({"bash", "-c", beside(R"(
d=$(mktemp -d); trap 'rm -r $d' EXIT
long() { sleep 600; }
bad() { echo [1/2] compiled; echo the reason; return 1; }
beside $d services=long programs=bad
)")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out,
            "the reason\nbuilding the programs failed; above is the end of what it said\n");
}

}  // namespace
}  // namespace mc::test
