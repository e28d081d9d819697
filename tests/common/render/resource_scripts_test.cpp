#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"
#include "tests/support/folders.h"

// What the entry point finds out about the pod's cores, from files of the system as cgroup versions
// 1 and 2 have them. Flux sees 16 cores.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct SystemCase {
  const char* name;
  std::map<std::string, std::string> system;  // replaces files; "": the file is not there
  const char* cores;
  bool is_pinned;
};

const std::map<std::string, std::string> kVersion1 = {
    {"proc/self/cgroup", "11:cpuset:/pod\n4:cpu,cpuacct:/pod\n0::/\n"},
    {"sys/fs/cgroup/cpu.max", ""},
    {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
};
std::map<std::string, std::string> version_1(const std::string& quota) {
  auto out = kVersion1;
  out["sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = quota + "\n";
  return out;
}

const SystemCase kSystems[] = {
    {"no limit", {{"sys/fs/cgroup/cpu.max", "max 100000\n"}}, "0-15", false},
    {"no limit, version 1", version_1("-1"), "0-15", false},
    {"half a CPU", {{"sys/fs/cgroup/cpu.max", "50000 100000\n"}}, "0", false},
    {"half a CPU, version 1", version_1("50000"), "0", false},
    {"1", version_1("100000"), "0", false},
    {"1.5", version_1("150000"), "0-1", false},
    {"2", {{"sys/fs/cgroup/cpu.max", "200000 100000\n"}}, "0-1", false},
    {"in another period", {{"sys/fs/cgroup/cpu.max", "15000 5000\n"}}, "0-2", false},
    {"more than the node has", {{"sys/fs/cgroup/cpu.max", "6400000 100000\n"}}, "0-15", false},
    {"the cgroup is below the top",
     {{"proc/self/cgroup", "0::/kubepods/pod\n"},
      {"sys/fs/cgroup/cpu.max", ""},
      {"sys/fs/cgroup/kubepods/pod/cpu.max", "300000 100000\n"}},
     "0-2",
     false},
    {"the folder has the older name",
     {{"sys/fs/cgroup/cpu.max", ""},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
     "0-3",
     false},
    {"no cgroup is mounted", {{"sys/fs/cgroup/cpu.max", ""}}, "0-15", false},
    {"exclusive cores",
     {{"proc/self/status", "Name:\tsh\nCpus_allowed_list:\t2-3,8,10-14\n"}},
     "0-7",
     true},
    {"exclusive cores without a quota",
     {{"proc/self/status", "Cpus_allowed_list:\t2-3\n"}, {"sys/fs/cgroup/cpu.max", "max 100000\n"}},
     "0-15",
     true},
    {"a shared pool that is smaller than the node",
     {{"proc/self/status", "Cpus_allowed_list:\t2-15\n"}},
     "0-7",
     false},
};

TEST(Resources, OfThePodAreReadFromItsCgroup) {
  for (const bool with_bash : {true, false}) {
    for (const SystemCase& each : kSystems) {
      SCOPED_TRACE(each.name);
      const PodDir pod(cluster("hostname", 2), with_bash);
      for (const auto& [path, text] : each.system) {
        const auto file = pod.file("system/" + path);
        std::filesystem::remove(file);
        if (!text.empty()) pod.write("system/" + path, text);
      }
      const Outcome outcome = pod.must_run_broker();
      EXPECT_THAT(test::text_of(pod.file("mount/config/etc/flux/system/R")),
                  HasSubstr("\"children\": {\"core\": \"" + std::string(each.cores) + "\"}"));
      EXPECT_EQ(!std::filesystem::exists(pod.file("mount/config/etc/flux/shell/unpinned")),
                each.is_pinned);
      EXPECT_EQ(outcome.err, "");
    }
  }
}

TEST(Resources, HaveTheGpusOfTheContainersLimits) {
  api::MiniCluster cluster = test::cluster("hostname", 2);
  for (const auto& [count, ids] : {std::pair("1", "0"), std::pair("4", "0-3")}) {
    cluster.spec.containers[0].resources = {{"limits", {{"nvidia.com/gpu", count}}}};
    const PodDir pod(cluster);
    pod.must_run_broker();
    EXPECT_THAT(test::text_of(pod.file("mount/config/etc/flux/system/R")),
                HasSubstr("{\"core\": \"0-7\", \"gpu\": \"" + std::string(ids) + "\"}"));
  }
}

// Public files write R where older Flux views had it.
TEST(Resources, ThatASnippetWritesAtEitherPlaceAreUsed) {
  for (const char* pre :
       {"echo mine >${viewroot}/etc/flux/system/R", "echo mine >$viewbase/config/etc/flux/system/R",
        "rm $viewroot/etc/flux/system/R && echo mine >$viewroot/etc/flux/system/R",
        "echo mine >/tmp/R.$$ && mv /tmp/R.$$ $viewroot/etc/flux/system/R"}) {
    api::MiniCluster cluster = test::cluster("hostname", 2);
    cluster.spec.containers[0].commands.pre = std::string("set -e; ") + pre;
    const PodDir pod(cluster);
    pod.must_run_broker();
    for (const char* place : {"mount/config/etc/flux/system/R", "mount/view/etc/flux/system/R"}) {
      EXPECT_EQ(test::text_of(pod.file(place)), "mine\n") << pre << " " << place;
    }
  }
}

TEST(Resources, OfARestartedContainerAreReadAgainUnlessTheyAreTheUsers) {
  for (const bool is_users : {false, true}) {
    api::MiniCluster cluster = test::cluster("hostname", 2);
    if (is_users) {
      cluster.spec.containers[0].commands.pre =
          "[ -e $viewbase/once ] || echo mine >$viewbase/config/etc/flux/system/R; : "
          ">$viewbase/once";
    }
    const PodDir pod(cluster);
    pod.must_run_broker();
    std::filesystem::remove(pod.file("mount/flux-operator-code.txt"));
    pod.write("system/sys/fs/cgroup/cpu.max", "200000 100000\n");
    pod.must_run("exec sh $operator/wait-0.sh");
    EXPECT_THAT(test::text_of(pod.file("mount/config/etc/flux/system/R")),
                HasSubstr(is_users ? "mine" : "\"core\": \"0-1\""));
  }
}

struct Spread {
  const char* name;
  std::int64_t size, tasks;
  const char* flags;
  const char* call;  // of flux
};

// 8 cores in each pod.
const Spread kSpreads[] = {
    {"tasks that fit", 2, 16, "", "[submit][--input=/dev/null][-N2][-n16]"},
    {"tasks that fit with their cores", 2, 4, "-c 4",
     "[submit][--input=/dev/null][-N2][-n4][-c][4]"},
    {"more tasks than cores", 2, 32, "",
     "[submit][--dry-run][--input=/dev/null][-N2][-n2][--exclusive][sh]"},
    {"more cores of tasks", 2, 4, "-c8 -o verbose",
     "[submit][--dry-run][--input=/dev/null][-N2][-n2][--exclusive][-o][verbose][sh]"},
    {"a task with more cores than a pod", 4, 2, "--cores-per-task=9",
     "[submit][--dry-run][--input=/dev/null][-N2][-n2][--exclusive][sh]"},
    {"a task with more cores than a pod, in two words", 4, 1, "--cores-per-task 9",
     "[submit][--dry-run][--input=/dev/null][-N1][-n1][--exclusive][sh]"},
    {"an uneven number", 2, 17, "",
     "[submit][--dry-run][--input=/dev/null][-N2][-n2][--exclusive][sh]"},
    {"GPUs of tasks are not shared", 2, 32, "-g 1",
     "[submit][--input=/dev/null][-N2][-n32][-g][1]"},
    {"one for each pod", 4, 0, "", "[submit][--input=/dev/null][-N4][sh]"},
};

TEST(Tasks, ThatNeedMoreCoresThanThereAreShareThem) {
  for (const Spread& each : kSpreads) {
    SCOPED_TRACE(each.name);
    api::MiniCluster cluster = test::cluster("sh -c true", each.size);
    cluster.spec.tasks = each.tasks;
    cluster.spec.flux.option_flags = each.flags;
    const PodDir pod(cluster);
    pod.must_run_broker();
    EXPECT_THAT(pod.calls(), HasSubstr(each.call));
  }
}

TEST(Tasks, OfAUsersSubmitCommandShareCoresIfTheyCanBeSpreadEvenly) {
  for (const auto& [tasks, call] :
       {std::pair(32, "[run][--input=/dev/null][-N2][--tasks-per-node=16][--quiet][--exclusive]"),
        std::pair(17, "[run][--input=/dev/null][-N2][-n17]")}) {
    api::MiniCluster cluster = test::cluster("sh -c true", 2);
    cluster.spec.tasks = tasks;
    cluster.spec.flux.submit_command = "flux run";
    const PodDir pod(cluster);
    pod.must_run_broker();
    EXPECT_THAT(pod.calls(), HasSubstr(call));
  }
}

TEST(Tasks, OfABatchThatNeedMoreCoresThanThereAreGetAllPods) {
  api::MiniCluster cluster = test::cluster("true", 2);
  cluster.spec.containers[0].batch = true;
  cluster.spec.tasks = 32;
  const PodDir pod(cluster);
  pod.must_run_broker();
  EXPECT_THAT(pod.calls(), HasSubstr("[-N2][--input=/dev/null][--exclusive][--flags=waitable]"));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[-n32]")));
}

TEST(Resources, LittleLockedMemoryIsToldToAPodWithAnRdmaDevice) {
  for (const bool has_device : {true, false}) {
    const PodDir pod(cluster("hostname", 2));
    if (has_device) pod.write("system/dev/infiniband/uverbs0", "");
    const Outcome outcome = pod.must_run("ulimit -l 64 && " + std::string(kBroker));
    EXPECT_EQ(outcome.err.find("may lock only 64 KiB of memory") != std::string::npos, has_device)
        << outcome.out << outcome.err;
  }
}

}  // namespace
}  // namespace mc::test
