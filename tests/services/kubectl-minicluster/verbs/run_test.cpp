#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "common/base/arguments.h"
#include "services/kubectl-minicluster/app/options.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

struct Said {
  int code = -1;
  std::string out, err;
};

// A verb that needs no cluster.
Said said(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kubectl-minicluster");
  const auto options = parse_options(static_cast<int>(arguments.size()), arguments.data());
  if (!options) {
    test::collect_errors("Errors of kubectl minicluster", options.error().text);
    return {options.error().code, "", options.error().text};
  }
  std::ostringstream out, err;
  const int code = options->verb({options->cluster, {.out = out, .err = err}});
  test::collect_errors("Errors of kubectl minicluster", err.str());
  return {code, out.str(), err.str()};
}

TEST(Run, DashNIsTheNumberOfTasksAndTheNamespaceStandsBeforeTheVerb) {
  const Said dry = said({"-n",
                         "team",
                         "run",
                         "x",
                         "--image=i:1",
                         "-N4",
                         "-n",
                         "16",
                         "--env",
                         "A=b=c",
                         "--env=B=",
                         "--env=C=2",
                         "--set=spec.flux.minimalService=true",
                         "--dry-run",
                         "--",
                         "lmp",
                         "-n",
                         "1",
                         "--",
                         "-N"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.err, "");
  EXPECT_EQ(dry.out, R"(apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: x
  namespace: team
spec:
  containers:
  - command: lmp -n 1 -- -N
    environment:
      A: b=c
      B: ""
      C: "2"
    image: i:1
  flux:
    minimalService: true
  logging:
    labelStderr: true
    quiet: true
  size: 4
  tasks: 16
)");
}

// As a user of Slurm or Flux writes them.
TEST(Run, TheFlagsOfSlurmAndFluxMakeAMiniClusterThatAdmissionAccepts) {
  const Said dry = said({"submit",
                         "x",
                         "--image=i:1",
                         "--view=flux:2",
                         "-N",
                         "2",
                         "--ntasks-per-node=2",
                         "-t",
                         "5",
                         "-c2",
                         "-g",
                         "1",
                         "-l",
                         "--mem=4G",
                         "-D",
                         "/data",
                         "--dry-run",
                         "--",
                         "ls",
                         "-l"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.err, "");
  EXPECT_EQ(dry.out, R"(apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: x
spec:
  containers:
  - command: ls -l
    image: i:1
    resources:
      limits:
        memory: 4Gi
      requests:
        memory: 4Gi
    workingDir: /data
  deadlineSeconds: 300
  flux:
    container:
      image: flux:2
    optionFlags: "--cores-per-task=2 --gpus-per-task=1 --label-io"
  logging:
    labelStderr: true
    quiet: true
  size: 2
  tasks: 4
)");
}

TEST(Run, WhatMiniClustersDoNotHaveIsRefusedInALineWithWhatToUse) {
  struct Case {
    std::vector<const char*> flag;
    const char* use;
  };
  for (const auto& [flag, use] :
       std::vector<Case>{{{"--array=1-10"}, "--cc=1-10"},
                         {{"-a", "1-10"}, "--cc=1-10"},
                         {{"--dependency=afterok:1"}, "kubectl minicluster wait NAME"},
                         {{"-d", "afterok:1"}, "kubectl minicluster wait NAME"},
                         {{"--nodelist", "node1"}, "nodeSelector[kubernetes.io/hostname]=NODE"},
                         {{"-w", "node1"}, "nodeSelector[kubernetes.io/hostname]=NODE"},
                         {{"-x", "node1"}, "nodeSelector[LABEL]=VALUE"},
                         {{"--constraint=gpu"}, "nodeSelector[LABEL]=VALUE"},
                         {{"-p", "debug"}, "--namespace"},
                         {{"--qos=high"}, "--namespace"},
                         {{"-G", "4"}, "limits[nvidia.com/gpu]=NUMBER"},
                         {{"--gpus-per-node=4"}, "use -g"},
                         {{"--gres=gpu:4"}, "use -g"},
                         {{"--mem-per-cpu=2G"}, "--mem,"},
                         {{"--mem-per-gpu=2G"}, "--mem,"},
                         {{"--exclusive"}, "limits[cpu]=NUMBER"},
                         {{"--exclusive=user"}, "limits[cpu]=NUMBER"},
                         {{"--mail-type=END"}, "kubectl minicluster wait NAME"},
                         {{"--mail-user=me@example.org"}, "kubectl minicluster wait NAME"}}) {
    std::vector<const char*> arguments = {"run", "x", "--image=i:1"};
    arguments.insert(arguments.end(), flag.begin(), flag.end());
    arguments.insert(arguments.end(), {"--", "id"});
    const Said refused = said(arguments);
    EXPECT_EQ(refused.code, kUsageError);
    EXPECT_THAT(refused.err, ::testing::StartsWith("error: --"));
    EXPECT_THAT(refused.err, HasSubstr(use));
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
}

TEST(Run, ADryRunSaysWhatAdmissionWouldRefuse) {
  const Said dry = said({"run", "x", "--image", "i:1", "--set", "spec.tasks=-1", "--set",
                         "spec.minSize=9", "--dry-run", "--", "id"});
  EXPECT_EQ(dry.code, 1);
  EXPECT_THAT(dry.out, HasSubstr("minSize: 9"));
  EXPECT_EQ(dry.err,
            "The MiniCluster \"x\" is invalid:\n"
            "* spec.minSize: Invalid value: 9: must be less than or equal to spec.size (1)\n"
            "* spec.tasks: Invalid value: -1: must be greater than or equal to 0 (0: one task for "
            "each node)\n");
}

TEST(Run, AMistakeIsAUsageErrorAndNothingIsPrinted) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"run", "--image=i:1"},
           {"run", "--", "id"},
           {"run", "--image=i:1", "-N", "0", "--", "id"},
           {"run", "--image=i:1", "-n", "many", "--", "id"},
           {"run", "--image=i:1", "--set", "spec.flx=1", "--", "id"},
           {"run", "--image=i:1", "--env", "A", "--", "id"},
           {"run", "--image=i:1", "--rm", "--detach", "--", "id"},
           {"run", "--image=i:1", "--detach", "-o", "file", "--", "id"},
           {"run", "--image=i:1", "--detach", "--copy-out=results", "--", "id"},
           {"run", "--image=i:1", "--copy-to=/tmp", "--", "id"},
           {"run", "--image=i:1", "--copy-out=x", "--copy-to=/no/folder", "--", "id"},
           {"run", "--image=i:1", "--copy-out=x", "--set", "spec.interactive=true"},
           {"submit", "--image=i:1", "--rm", "--", "id"},
           {"run", "--image=i:1", "-t", "soon", "--", "id"},
           {"run", "--image=i:1", "--start-timeout", "soon", "--", "id"},
           {"run", "--image=i:1", "--start-timeout", "5", "--detach", "--", "id"},
           {"submit", "--image=i:1", "--start-timeout", "5", "--", "id"},
           {"run", "--image=i:1", "-t", "0", "--", "id"},
           {"run", "--image=i:1", "--mem", "4x", "--", "id"},
           {"run", "--image=i:1", "-c", "0", "--", "id"},
           {"run", "x", "id", "--image=i:1"},
           {"run", "--image=i:1", "--account=two words", "--", "id"},
           {"wait"},
           {"wait", "x", "--for=happy"},
           {"wait", "x", "--timeout=5"}}) {
    const Said mistake = said(arguments);
    EXPECT_EQ(mistake.code, kUsageError) << mistake.err;
    EXPECT_EQ(mistake.out, "");
    EXPECT_NE(mistake.err, "");
  }
}

class RunScript : public ::testing::Test {
 protected:
  // Writes the file, and runs `submit FLAGS FILE WORDS`.
  Said submitted(const std::string& text, std::vector<const char*> flags = {"--image=i:1"},
                 const std::vector<const char*>& words = {}) {
    std::ofstream(file_) << text;
    flags.insert(flags.begin(), {"submit", "--dry-run"});
    flags.push_back(file_.c_str());
    flags.insert(flags.end(), words.begin(), words.end());
    return said(flags);
  }

  const test::TemporaryFolder folder_;
  const std::string file_ = folder_.path() / "job.sh";
};

TEST_F(RunScript, WhatFollowsItAreItsArguments) {
  const Said dry = submitted("#!/bin/sh\necho \"$@\"\n", {"--image", "i.j/k:1", "-n", "4"},
                             {"-n", "x y", "--", "-N"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.err, "");
  EXPECT_EQ(dry.out, R"(apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  generateName: job-
spec:
  containers:
  - commands:
      script: |
        #!/bin/sh
        set -- '-n' 'x y' '--' '-N'
        echo "$@"
    image: i.j/k:1
  logging:
    labelStderr: true
    quiet: true
  tasks: 4
)");
  EXPECT_THAT(submitted("id\n", {"--image=i", "named"}).out, HasSubstr("name: named\n"));
}

TEST_F(RunScript, ItsDirectivesAreFlagsWhichTheCommandLineOverrides) {
  const std::string text =
      "#!/bin/bash\n"
      "#SBATCH --job-name=My_Job --nodes=2 --time=5\n"
      "#flux: --env=A=1 --env=B=1 --cwd=/data\n"
      "flux run -n 4 a\n";
  const Said dry = submitted(text, {"--image=i:1", "-N3", "--env=B=2"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.err, "");
  EXPECT_EQ(dry.out, R"(apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: my-job
spec:
  containers:
  - commands:
      script: |
        #!/bin/bash
        #SBATCH --job-name=My_Job --nodes=2 --time=5
        #flux: --env=A=1 --env=B=1 --cwd=/data
        flux run -n 4 a
    environment:
      A: "1"
      B: "2"
    image: i:1
    launcher: true
    workingDir: /data
  deadlineSeconds: 300
  logging:
    labelStderr: true
    quiet: true
  size: 3
  tasks: 0
)");
}

TEST_F(RunScript, TheNamesOfSlurmAndFluxMeanTheSame) {
  for (const char* const flags :
       {"-J x -t 5 -N 2 -n 4 -c 3 -g 1 -D /d -A physics",
        "--job-name=x --time=5 --nodes=2 --ntasks=4 "
        "--cpus-per-task=3 --gpus-per-task=1 --chdir=/d --account=physics",
        "--job-name=x --time-limit=5m --nodes=2 --nslots=4 --cores-per-slot=3 --gpus-per-slot=1 "
        "--cwd=/d --bank=physics"}) {
    const Said dry = submitted("#SBATCH " + std::string(flags) + "\nid\n");
    EXPECT_EQ(dry.code, 0) << dry.err;
    EXPECT_EQ(dry.err, "Warning: " + file_ +
                           ": --tasks, --cores-per-task, --gpus-per-task: no effect in a batch "
                           "script; use them with `flux run` inside the script\n");
    for (const char* const field : {"name: x\n", "    flux-framework.org/account: physics\n",
                                    "deadlineSeconds: 300\n", "size: 2\n", "workingDir: /d\n"})
      EXPECT_THAT(dry.out, HasSubstr(field)) << flags;
  }
}

TEST_F(RunScript, AMistakeInADirectiveNamesFileAndLine) {
  const std::string help = "; see kubectl minicluster submit --help\n";
  for (const auto& [line, why] : std::vector<std::pair<std::string, std::string>>{
           {"--hint=nomultithread", "unknown flag: --hint=nomultithread" + help},
           {"-N 4 more", "unexpected argument: more\n"},
           {"-N 4 -- id", "unexpected argument: --\n"},
           {"-N 4 x.sh", "unexpected argument: x.sh\n"},
           {"--help", "--help cannot be used in a script\n"},
           {"-J 'x", "a quote is not closed\n"}}) {
    EXPECT_EQ(submitted("#!/bin/sh\n\n#SBATCH " + line + "\nid\n").err,
              "error: " + file_ + ":3: " + why);
  }
  for (const auto& [line, words] : std::vector<std::pair<std::string, std::string>>{
           {"-N", "--nodes"},
           {"-t UNLIMITED", "UNLIMITED: expected minutes (5)"},
           {"-p debug", "--namespace"},
           {"--array=1-10", "--cc=1-10"},
           {"-o out.txt", "use this flag with `attach NAME`"},
           {"-e err.txt", "use this flag with `attach NAME`"},
           {"--setattr=a=b", "spec.flux.optionFlags=--setattr=KEY=VALUE"}}) {
    const Said refused = submitted("#SBATCH " + line + "\n#SBATCH -N 4\nid\n");
    EXPECT_EQ(refused.code, kUsageError);
    EXPECT_THAT(refused.err, ::testing::StartsWith("error: " + file_ + ":1: --"));
    EXPECT_THAT(refused.err, HasSubstr(words));
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
}

TEST_F(RunScript, ANameOfTheCommandLineCountsBeforeThatOfTheScript) {
  const Said dry = submitted("#SBATCH -J of-script\nid\n", {"mine", "--image=i:1"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("name: mine\n"));
}

TEST_F(RunScript, AnEditorsMarkBeforeItIsNoPartOfIt) {
  const Said dry = submitted("\xEF\xBB\xBF#!/bin/sh\n#SBATCH -N 4\nid\n");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("size: 4\n"));
  EXPECT_THAT(dry.out, ::testing::Not(HasSubstr("\xEF\xBB\xBF")));
}

TEST_F(RunScript, WhatIsNoScriptIsAUsageErrorInALine) {
  const auto told = [&](const std::string& text) { return submitted(text).err; };
  EXPECT_EQ(told(""), "error: " + file_ + ": the file is empty\n");
  EXPECT_EQ(told("\xff\xfe"), "error: " + file_ + ": the file is not text in UTF-8\n");
  EXPECT_EQ(told(std::string(300'000, 'x')),
            "error: " + file_ + ": the file is too large: more than 262144 bytes\n");
  EXPECT_EQ(said({"run", "--image=i:1", "/nonexistent.sh"}).code, kUsageError);
  EXPECT_EQ(
      said({"run", "--image=i:1", "lammps.2"}).err,
      "error: lammps.2: No such file or directory; an argument that contains . or / is "
      "the path of a local script; to run a program of the image, write its name after `--`\n");
  EXPECT_EQ(said({"run", "--image=i:1", "/"}).err, "error: /: Is a directory\n");
  EXPECT_THAT(said({"run", "--image=i:1", "x", "id"}).err,
              HasSubstr("write the path of a local script with a . or a /"));
  EXPECT_EQ(said({"run", "--help", "x.sh"}).code, 0);
}

TEST(Run, AFileIsNamedWithWhatIsWrongInIt) {
  EXPECT_EQ(said({"run", "-f", "/nonexistent"}).code, kFailed);
  const test::TemporaryFolder folder;
  const std::string file = folder.path() / "x.yaml";
  std::ofstream(file) << "{apiVersion: v1, kind: Pod}";
  EXPECT_EQ(said({"run", "-f", file.c_str()}).err,
            "error: " + file + ": expected one MiniCluster and nothing else\n");
  std::ofstream(file) << "{apiVersion: flux-framework.org/v1alpha2, kind: MiniCluster, metadata: "
                         "{name: a, namespace: b}, spec: {containers: [{image: x:1}]}}";
  EXPECT_EQ(said({"--namespace=c", "run", "-f", file.c_str(), "--dry-run", "--", "id"}).err,
            "error: the file has the namespace b, which differs from --namespace\n");
  EXPECT_THAT(said({"run", "-f", file.c_str(), "--dry-run", "--", "id"}).out,
              HasSubstr("namespace: b"));
}

}  // namespace
}  // namespace mc::kubectl
