#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/layout/rules.h"
#include "tests/support/folders.h"

namespace mc::layout {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tree repository() {
  Tree tree;
  for (const std::string& path : test::all_files()) tree[path] = test::text_of(path);
  return tree;
}

// Of the tree with the libraries of this build.
std::vector<std::string> include_violations(const Tree& tree) {
  static const std::string layers = test::text_of(test::build_dir() / "layers.txt");
  return layout::include_violations(tree, layers);
}

// A tree with every file that the snippets below include.
Tree snippet(const std::string& path, const std::string& text) {
  Tree tree = {{"common/base/result.h", ""},
               {"common/base/clock.h", ""},
               {"common/flux/curve.h", ""},
               {"common/api/model/names.h", ""},
               {"common/kube/client.h", ""},
               {"services/controller/cache/caches.h", ""},
               {"services/controller/interpret/ends.h", ""},
               {"services/controller/queueing/workload.h", ""},
               {"services/controller/status/status.h", ""},
               {"services/webhook/server.h", ""}};
  tree[path] = text;
  return tree;
}

TEST(Layout, IncludesFollowTheRules) { EXPECT_THAT(include_violations(repository()), IsEmpty()); }

TEST(Layout, WhatDecidesReachesNoConnectionThreadOrClock) {
  EXPECT_THAT(purity_violations(repository()), IsEmpty());
}

TEST(Layout, TheControllerDecidesByStructsAlone) {
  EXPECT_THAT(json_violations(repository()), IsEmpty());
}

TEST(Layout, TheKubectlPluginUsesNothingThatOnlyLinuxHas) {
  EXPECT_THAT(portability_violations(repository()), IsEmpty());
}

TEST(Layout, NoFileNamesAPathOfThisMachine) {
  std::vector<std::string> folders = {test::source_dir()};
  const char* const home = std::getenv("HOME");
  if (home != nullptr && std::string_view(home).size() > 1) folders.emplace_back(home);
  EXPECT_THAT(machine_path_violations(repository(), folders), IsEmpty());
}

TEST(Layout, TestsMirrorTheTree) { EXPECT_THAT(mirror_violations(repository()), IsEmpty()); }

TEST(IncludeRules, AViolationNamesFileLineAndRule) {
  EXPECT_THAT(
      include_violations(snippet("common/flux/hostlist.cpp",
                                 "#include <string>\n#include \"common/api/model/names.h\"\n")),
      ElementsAre("common/flux/hostlist.cpp:2: common/flux/ may not include "
                  "common/api/model/names.h, only common/base/, common/flux/"));
}

TEST(IncludeRules, OwnHeadersAreFollowedByFolder) {
  struct Case {
    std::string path, include;
    bool fine;
  };
  for (const auto& [path, include, fine] : std::vector<Case>{
           {"common/base/yaml.cpp", "common/base/result.h", true},
           {"common/base/yaml.cpp", "common/flux/curve.h", false},
           {"common/api/validation/validate.cpp", "common/flux/curve.h", true},
           {"common/api/validation/validate.cpp", "common/kube/client.h", false},
           {"common/observe/log.cpp", "common/api/model/names.h", false},
           {"certs/authority.cpp", "common/kube/client.h", false},
           {"services/webhook/main.cpp", "common/kube/client.h", false},
           {"services/webhook/main.cpp", "services/controller/cache/caches.h", false},
           {"services/controller/main.cpp", "services/webhook/server.h", false},
           {"services/controller/main.cpp", "common/kube/client.h", false},
           {"services/controller/app/serve.cpp", "common/kube/client.h", true},
           {"services/controller/status/status.cpp", "services/controller/cache/caches.h", false},
           {"services/controller/status/status.cpp", "services/controller/interpret/ends.h", true},
           {"services/controller/interpret/ends.cpp", "services/controller/status/status.h", false},
           {"services/controller/reconcile/plan.cpp", "services/controller/status/status.h", false},
           {"services/controller/cache/caches.cpp", "services/controller/status/status.h", false},
           {"services/controller/reconcile/plan.cpp", "common/kube/client.h", false},
           {"services/controller/reconcile/plan.cpp", "services/controller/queueing/workload.h",
            false},
           {"services/controller/status/status.cpp", "services/controller/queueing/workload.h",
            false},
           {"services/controller/queueing/loop.cpp", "services/controller/cache/caches.h", true},
           {"services/controller/cache/caches.cpp", "services/controller/queueing/workload.h",
            false},
           {"services/controller/status/status.h", "common/kube/client.h", false},
           {"common/render/job.cpp", "services/controller/cache/caches.h", false},
           {"services/kubectl-minicluster/verbs/get.cpp", "common/kube/client.h", true},
           {"services/kubectl-minicluster/view/table.cpp", "common/kube/client.h", false},
           {"services/kubectl-minicluster/verbs/get.cpp", "services/webhook/server.h", false},
           {"services/webhook/review.cpp", "common/api/model/names.h", true},
           {"services/webhook/review.h", "../webhook/server.h", false},
       }) {
    SCOPED_TRACE(path + " " + include);
    EXPECT_EQ(include_violations(snippet(path, "#include \"" + include + "\"\n")).empty(), fine);
  }
}

TEST(IncludeRules, ThirdPartyLibrariesStayWhereTheyBelong) {
  struct Case {
    std::string path, include, words;
  };
  const std::string header = "third-party types stay out of headers";
  const std::string only = "may be included only in";
  for (const auto& [path, include, words] : std::vector<Case>{
           {"common/kube/transport.cpp", "httplib.h", ""},
           {"common/kube/client.cpp", "httplib.h", only},
           {"common/kube/transport.h", "httplib.h", header},
           {"certs/key_pair.cpp", "openssl/ssl.h", ""},
           {"services/webhook/review.cpp", "openssl/ssl.h", only},
           {"common/flux/curve.cpp", "sodium.h", ""},
           {"common/flux/curve.cpp", "sodium", ""},
           {"common/api/model/names.cpp", "sodium", only},
           {"common/flux/broker_toml.h", "toml++/toml.h", header},
           {"common/api/model/names.h", "nlohmann/json.hpp", ""},
           {"services/controller/cache/caches.cpp", "prometheus/counter.h", only},
           {"common/base/yaml.cpp", "boost/any.hpp", "no rule says who may include"},
           {"common/base/yaml.cpp", "vector", ""},
           {"certs/key_pair.cpp", "sys/stat.h", ""},
       }) {
    SCOPED_TRACE(path + " " + include);
    const auto found = include_violations(snippet(path, "# include <" + include + ">\n"));
    if (words.empty()) {
      EXPECT_THAT(found, IsEmpty());
    } else {
      EXPECT_THAT(found, ElementsAre(HasSubstr(words)));
    }
  }
}

TEST(JsonRules, WhoReadsAndWritesMayHaveIt) {
  const auto found = [](const std::string& path, const std::string& include) {
    return json_violations(snippet(path, "#include \"" + include + "\"\n"));
  };
  EXPECT_THAT(found("services/controller/status/status.cpp", "common/base/json.h"),
              ElementsAre("services/controller/status/status.cpp:1: common/base/json.h: decides by "
                          "structs, not by JSON"));
  EXPECT_THAT(
      found("services/controller/queueing/workload.h", "services/controller/cluster/read.h"),
      ElementsAre(HasSubstr("read.h: decides")));
  EXPECT_THAT(found("services/controller/cluster/read_pod.cpp", "common/base/json.h"), IsEmpty());
  EXPECT_THAT(found("services/controller/reconcile/execute.cpp", "common/base/json.h"), IsEmpty());
}

TEST(PurityRules, AClockCallIsFoundButNotItsMention) {
  EXPECT_THAT(
      purity_violations(snippet("services/controller/reconcile/plan.cpp",
                                "// no system_clock::now here\n"
                                "auto t = std::chrono::system_clock::now();\n")),
      ElementsAre("services/controller/reconcile/plan.cpp:2: system_clock::now: only decides, so "
                  "time is an argument"));
}

TEST(PurityRules, AThreadIsFoundThroughOtherHeaders) {
  Tree tree = snippet("common/render/job.cpp", "#include \"common/base/a.h\"\n");
  tree["common/base/a.h"] = "#include \"common/base/b.h\"\n";
  tree["common/base/b.h"] = "#include \"common/base/a.h\"\n#include <thread>\n";
  EXPECT_THAT(purity_violations(tree),
              ElementsAre(HasSubstr("job.cpp:1: only decides, so may reach no connection, thread "
                                    "or clock: common/base/a.h -> common/base/b.h -> thread")));
}

TEST(PurityRules, TheClockOfBaseIsForThoseWhoWait) {
  EXPECT_THAT(purity_violations(snippet("common/api/a.cpp", "#include \"common/base/clock.h\"\n")),
              ElementsAre(HasSubstr("common/base/clock.h")));
  EXPECT_THAT(purity_violations(snippet("common/kube/a.cpp", "#include \"common/base/clock.h\"\n")),
              IsEmpty());
}

TEST(PortabilityRules, WhatIsUsedIsFollowedToItsSource) {
  Tree tree = snippet("services/kubectl-minicluster/verbs/get.cpp",
                      "#include \"common/base/a.h\"\nint fd = pipe2(ends, 0);  // pipe2() here\n");
  tree["common/base/a.h"] = "#include \"common/base/b.h\"\n";
  tree["common/base/b.h"] = "";
  tree["common/base/b.cpp"] = "#include <sys/epoll.h>\n";
  tree["common/base/c.cpp"] = "#include <sys/epoll.h>\n";
  EXPECT_THAT(portability_violations(tree),
              ElementsAre(HasSubstr("common/base/b.cpp:1: sys/epoll.h: only Linux has it"),
                          HasSubstr("services/kubectl-minicluster/verbs/get.cpp:2: pipe2(")));
}

TEST(MachinePathRules, WhatIsBelowAFolderIsFoundAndNoNamesake) {
  const Tree tree = {{"a.md", "x\nsee /c/d/e\n"}, {"b.md", "/c/dd /x"}};
  EXPECT_THAT(machine_path_violations(tree, {"/c/d"}),
              ElementsAre("a.md:2: /c/d/: a path that only this machine has"));
}

TEST(MirrorRules, BothDirectionsAreChecked) {
  EXPECT_THAT(mirror_violations({{"common/flux/curve.cpp", ""},
                                 {"tests/common/flux/curve_test.cpp", ""},
                                 {"common/api/model/names.cpp", ""},
                                 {"tests/common/other/x_test.cpp", ""},
                                 {"services/webhook/main.cpp", ""},
                                 {"tests/layout/rules.cpp", ""}}),
              ElementsAre("common/api/model:0: has no tests; they belong to tests/common/api/model",
                          "tests/common/other:0: mirrors no folder of the tree"));
}

}  // namespace
}  // namespace mc::layout
