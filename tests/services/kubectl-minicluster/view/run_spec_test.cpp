#include "services/kubectl-minicluster/view/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/examine.h"
#include "common/base/yaml.h"
#include "services/kubectl-minicluster/view/set_field.h"
#include "tests/support/messages.h"
#include "tests/support/process.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

json made(const RunFlags& flags, const json& file = nullptr) {
  auto object = minicluster_of(flags, file);
  EXPECT_TRUE(object) << object.error();
  return object.value_or(json());
}

std::string mistake_of(const RunFlags& flags, const json& file = nullptr) {
  const auto object = minicluster_of(flags, file);
  if (!object) test::collect_message("Errors of kubectl minicluster", "error: " + object.error());
  return object ? "" : object.error();
}

RunFlags simple() { return {.image = "ubuntu:24.04", .command = {"hostname"}}; }

TEST(Spec, TheViewIsTheImageWithFluxAndTheRestOfItsContainerStays) {
  RunFlags flags = simple();
  flags.view = "flux-view:2";
  const json object = made(flags, {{"spec", {{"flux", {{"container", {{"mountPath", "/m"}}}}}}}});
  EXPECT_EQ(object["spec"]["flux"]["container"],
            json({{"image", "flux-view:2"}, {"mountPath", "/m"}}));
  EXPECT_TRUE(api::examine(object).errors.empty());
}

TEST(Spec, AJobsNameIsThatOfTheMiniClusterInItsCharacters) {
  RunFlags flags = simple();
  for (const auto& [job, name] : std::vector<std::pair<std::string, std::string>>{
           {"lammps-2", "lammps-2"}, {"My_Job.1", "my-job-1"}, {"_x_", "x"}}) {
    flags.job_name = job;
    EXPECT_EQ(made(flags)["metadata"], json({{"name", name}}));
  }
}

TEST(Spec, AnAccountIsALabelBesideThoseOfTheFile) {
  RunFlags flags = simple();
  flags.account = "physics";
  const json file = {
      {"metadata",
       {{"name", "x"}, {"labels", {{"flux-framework.org/account", "old"}, {"team", "a"}}}}}};
  EXPECT_EQ(made(flags, file)["metadata"]["labels"],
            json({{"flux-framework.org/account", "physics"}, {"team", "a"}}));
  EXPECT_EQ(made(simple(), file)["metadata"], file["metadata"]);
}

TEST(Spec, AScriptIsTheCommandOfEachTask) {
  const json file = {{"spec", {{"containers", {{{"image", "x:1"}, {"command", "id"}}}}}}};
  RunFlags flags{.tasks = 4, .command = {"a b"}, .script = Script{"/a/My_task.sh", "echo $1\n"}};
  const json object = made(flags, file);
  EXPECT_EQ(object["spec"]["containers"],
            json({{{"image", "x:1"}, {"commands", {{"script", "set -- 'a b'\necho $1\n"}}}}}));
  EXPECT_EQ(object["spec"]["tasks"], 4);
  EXPECT_EQ(object["metadata"], json({{"generateName", "my-task-"}}));
  const api::Examination found = api::examine(object);
  EXPECT_TRUE(found.errors.empty());
  EXPECT_THAT(found.warnings, ::testing::IsEmpty());
  EXPECT_TRUE(warnings_of_script(flags).empty());
}

TEST(Spec, ABatchScriptRunsOnceAndWhatIsAboutTasksIsForItsOwnJobs) {
  RunFlags flags{.image = "x:1",
                 .nodes = 2,
                 .tasks = 4,
                 .script = Script{"job.sh", "#SBATCH -N 2 -n 4\nflux run -n 4 a\n"},
                 .job = {.time_limit = "5", .cores_per_task = 2, .labels = true}};
  const json object = made(flags);
  EXPECT_EQ(object["spec"], json({{"size", 2},
                                  {"tasks", 0},
                                  {"deadlineSeconds", 300},
                                  {"logging", {{"labelStderr", true}, {"quiet", true}}},
                                  {"containers",
                                   {{{"image", "x:1"},
                                     {"launcher", true},
                                     {"commands", {{"script", flags.script->text}}}}}}}));
  const api::Examination found = api::examine(object);
  EXPECT_TRUE(found.errors.empty());
  EXPECT_THAT(found.warnings, ::testing::IsEmpty());
  EXPECT_THAT(warnings_of_script(flags),
              ::testing::ElementsAre("job.sh: --tasks, --cores-per-task, --label-io: no effect in "
                                     "a batch script; use them with `flux run` inside the script"));
}

TEST(Spec, ABatchScriptThatStartsTasksAsElsewhereHasAWarning) {
  const RunFlags flags{.script = Script{"job.sh", "#SBATCH -N 2\nsrun a\nsrun b\n"}};
  EXPECT_THAT(warnings_of_script(flags),
              ::testing::ElementsAre("job.sh:2: srun: use `flux run` in a MiniCluster"));
}

TEST(Spec, ALineOfSlurmThatIsTooLateHasAWarning) {
  for (const char* const first : {"", "#SBATCH -n 2\n", "#flux: -N 2\n"}) {
    const std::string text = std::string(first) + "\nmodule load x\n#SBATCH -N 2\n";
    const int line = *first == '\0' ? 3 : 4;
    EXPECT_THAT(warnings_of_script({.script = Script{"job.sh", text}}),
                ::testing::ElementsAre("job.sh:" + std::to_string(line) +
                                       ": #SBATCH lines after the first command have no effect, "
                                       "as with sbatch"));
  }
}

TEST(Spec, OnlyACommandHasAnInputThatCanBeOpened) {
  json command = made(simple());
  EXPECT_TRUE(open_input(command));
  EXPECT_EQ(at_path(command, {"spec", "containers"})[0]["stdin"], true);
  EXPECT_TRUE(api::examine(command).errors.empty());
  EXPECT_TRUE(api::examine(command).warnings.empty());
  for (const char* const without : {"spec.interactive=true", "spec.containers[0].batch=true"}) {
    RunFlags flags = simple();
    flags.set = {without};
    json object = made(flags);
    EXPECT_FALSE(open_input(object)) << without;
    EXPECT_EQ(object, made(flags));
  }
}

TEST(Spec, ALeadStaysForCopiesUnlessItHasNoCommand) {
  json command = made(simple());
  EXPECT_TRUE(let_linger(command));
  EXPECT_EQ(command["spec"]["lingerSeconds"], 600);
  EXPECT_TRUE(api::examine(command).errors.empty());
  EXPECT_TRUE(api::examine(command).warnings.empty());
  RunFlags flags = simple();
  flags.set = {"spec.lingerSeconds=5"};
  json chosen = made(flags);
  EXPECT_TRUE(let_linger(chosen));
  EXPECT_EQ(chosen["spec"]["lingerSeconds"], 5);
  flags.set = {"spec.interactive=true"};
  json interactive = made(flags);
  EXPECT_FALSE(let_linger(interactive));
}

TEST(Spec, WithNodesAloneThereIsATaskForEach) {
  RunFlags flags = simple();
  EXPECT_FALSE(made(flags)["spec"].contains("tasks"));
  flags.nodes = 3;
  EXPECT_EQ(made(flags)["spec"]["tasks"], 0);
  EXPECT_EQ(made(flags, {{"spec", {{"tasks", 9}}}})["spec"]["tasks"], 9);
}

TEST(Spec, TasksOnEachNodeAreOfTheNodesThatThereAre) {
  RunFlags flags = simple();
  flags.job.tasks_per_node = 8;
  EXPECT_EQ(made(flags)["spec"]["tasks"], 8) << "one node without a size";
  EXPECT_EQ(made(flags, {{"spec", {{"size", 3}}}})["spec"]["tasks"], 24);
  flags.set = {"spec.size=4"};
  EXPECT_EQ(made(flags)["spec"]["tasks"], 32);
  flags.set = {"spec.size=4", "spec.tasks=5"};
  EXPECT_EQ(made(flags)["spec"]["tasks"], 5);
  flags.set = {"spec.size=9223372036854775807"};
  EXPECT_FALSE(made(flags)["spec"].contains("tasks")) << "admission refuses this size";
}

// sbatch(1): with -n, --ntasks-per-node is the most of them.
TEST(Spec, WithAllTasksGivenTasksOnEachNodeSayHowManyNodes) {
  RunFlags flags = simple();
  flags.tasks = 17;
  flags.job.tasks_per_node = 8;
  EXPECT_EQ(made(flags)["spec"]["tasks"], 17);
  EXPECT_EQ(made(flags)["spec"]["size"], 3);
  flags.nodes = 5;
  EXPECT_EQ(made(flags)["spec"]["size"], 5);
  flags.nodes.reset();
  EXPECT_EQ(made(flags, {{"spec", {{"size", 4}}}})["spec"]["size"], 4);
  flags.tasks = 0;
  EXPECT_EQ(made(flags)["spec"]["size"], 1);
  flags.tasks = 16;
  flags.script = Script{"job.sh", "#SBATCH -n 16\nflux run a\n"};
  const json batch = made(flags);
  EXPECT_EQ(batch["spec"]["size"], 2);
  EXPECT_EQ(batch["spec"]["tasks"], 0) << "its own jobs have them";
}

// As the pods' scripts do: `command` after `set --`.
TEST(Spec, EachWordOfTheCommandArrivesAsItIs) {
  const std::vector<std::string> words = {
      "printf", "[%s]", "",    "a b",  "$HOME", "$(id)", "`id`", "it's",  "\"q\"", "*",   "~",
      "a;b",    "a|b",  "#no", "x\ny", "\\n",   "$$",    "$(X)", "{a,b}", "-n",    "A=b", "ü"};
  RunFlags flags = simple();
  flags.command = words;
  const std::string command = made(flags)["spec"]["containers"][0]["command"];
  std::string expected;
  for (const std::string& word : words) expected += word + "\n";
  EXPECT_EQ(test::must_run({"sh", "-c", "set -- " + command + "\nprintf '%s\\n' \"$@\""}),
            expected);
}

TEST(Spec, WithoutANameTheServerMakesOneFromTheCommandOrTheImage) {
  struct Case {
    std::vector<std::string> command;
    std::string image, beginning;
  };
  for (const auto& [command, image, beginning] :
       std::vector<Case>{{{"lmp", "-in"}, "x", "lmp-"},
                         {{"/opt/My_App.sh"}, "x", "my-app-sh-"},
                         {{"123go"}, "x", "go-"},
                         {{"./..."}, "registry:5000/team/lammps:2@sha256:0", "lammps-"},
                         {{"_"}, "9", "run-"},
                         {{std::string(100, 'a')}, "x", std::string(40, 'a') + "-"}}) {
    RunFlags flags = simple();
    flags.command = command;
    flags.image = image;
    EXPECT_EQ(made(flags)["metadata"], json({{"generateName", beginning}}));
  }
}

TEST(Spec, FlagsOverrideTheFileAndTheRestOfItStays) {
  const json file = only_minicluster(R"(
apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata: {name: of-file, labels: {a: b}}
spec:
  size: 2
  containers:
  - {name: side, image: side:1}
  - {image: main:1, runFlux: true, command: hostname, environment: {A: "1", B: "1"}}
)")
                        .value();
  EXPECT_EQ(made({}, file)["metadata"]["name"], "of-file");
  const json object = made(
      {.name = "mine", .image = "main:2", .nodes = 3, .environment = {"B=2"}, .command = {"id"}},
      file);
  EXPECT_EQ(object["metadata"], json({{"name", "mine"}, {"labels", {{"a", "b"}}}}));
  EXPECT_EQ(object["spec"]["size"], 3);
  EXPECT_EQ(object["spec"]["containers"], json({{{"name", "side"}, {"image", "side:1"}},
                                                {{"image", "main:2"},
                                                 {"runFlux", true},
                                                 {"command", "id"},
                                                 {"environment", {{"A", "1"}, {"B", "2"}}}}}));
}

TEST(Spec, AMistakeSaysWhatWouldBeRight) {
  EXPECT_EQ(mistake_of({.image = "x"}),
            "a command or a script is required: run --image IMAGE -- COMMAND ARGUMENTS, or run "
            "--image IMAGE ./SCRIPT ARGUMENTS");
  EXPECT_EQ(mistake_of({.command = {"id"}}), "an image is required: --image IMAGE");
  RunFlags flags = simple();
  flags.environment = {"=x"};
  EXPECT_EQ(mistake_of(flags), "--env =x: expected NAME=VALUE");
  EXPECT_EQ(mistake_of({.image = "x", .set = {"spec.interactive=true"}}), "");
  flags = simple();
  flags.job_name = "2nd run";
  EXPECT_EQ(mistake_of(flags),
            "--job-name 2nd run: expected a name that begins with a letter, such as lammps-2");
}

TEST(SetField, AValueHasTheTypeOfItsField) {
  struct Case {
    std::string assignment, pointer;
    json expected;
  };
  for (const auto& [assignment, pointer, expected] : std::vector<Case>{
           {"spec.flux.minimalService=true", "/spec/flux/minimalService", true},
           {"spec.size=0x10", "/spec/size", 16},
           {"spec.containers[0].resources.limits.cpu=2", "/spec/containers/0/resources/limits/cpu",
            2},
           {"spec.containers[0].resources.limits.memory=1.5Gi",
            "/spec/containers/0/resources/limits/memory", "1.5Gi"},
           {"spec.containers[0].environment.N=1", "/spec/containers/0/environment/N", "1"},
           {"spec.containers[0].commands.pre=a=b", "/spec/containers/0/commands/pre", "a=b"},
           {"spec.containers[0].commands.pre=[ -d /data ] || exit 1",
            "/spec/containers/0/commands/pre", "[ -d /data ] || exit 1"},
           {"spec.containers[0].environment.J={\"a\": 1}", "/spec/containers/0/environment/J",
            "{\"a\": 1}"},
           {"spec.containers[1].image=other:1", "/spec/containers/1/image", "other:1"},
           {"spec.jobLabels[kueue.x-k8s.io/queue-name]=q",
            "/spec/jobLabels/kueue.x-k8s.io~1queue-name", "q"},
           {"spec.jobLabels[\"a.b\"]=true", "/spec/jobLabels/a.b", "true"},
           {"spec.pod.tolerations=[{operator: Exists}]", "/spec/pod/tolerations/0/operator",
            "Exists"},
           {"spec.pod.template.spec.hostNetwork=true", "/spec/pod/template/spec/hostNetwork", true},
           {"spec.maxSize=", "/spec/maxSize", nullptr}}) {
    json object = made(simple());
    const auto done = set_field(object, assignment);
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(object.at(json::json_pointer(pointer)), expected) << assignment;
  }
}

TEST(SetField, AWrongPathChangesNothingAndSaysWhatWouldBeRight) {
  const json before = made(simple());
  for (const auto& [assignment, words] : std::vector<std::pair<std::string, std::string>>{
           {"spec.flx.minimalService=true",
            "--set spec.flx: unknown field, did you mean \"flux\"?"},
           {"spec.containers[0].resources.limit.cpu=2",
            "--set spec.containers[0].resources.limit: unknown field, did you mean \"limits\"?"},
           {"spec.containers.image=x",
            "is a list with 1 entry; the next one is spec.containers[1]"},
           {"spec.containers[7].image=x", "the next one is spec.containers[1]"},
           {"spec.size.x=1", "spec.size has no fields"},
           {"spec.size=.inf", "--set spec.size: "},
           {"spec.pod.tolerations=[", "--set spec.pod.tolerations: "},
           {"metadata.name=x", "expected spec.PATH=VALUE"},
           {"spec=1", "expected spec.PATH=VALUE"},
           {"spec.size", "expected spec.PATH=VALUE"},
           {"spec..size=1", "expected spec.PATH=VALUE"},
           {"spec.containers[0=1", "expected spec.PATH=VALUE"},
           {"spec.containers[0]x=1", "expected spec.PATH=VALUE"},
           {"", "expected spec.PATH=VALUE"}}) {
    json object = before;
    const auto done = set_field(object, assignment);
    ASSERT_FALSE(done) << assignment;
    EXPECT_THAT(done.error(), HasSubstr(words));
    EXPECT_EQ(object, before);
  }
}

TEST(OnlyMiniCluster, AnythingElseInTheFileIsRefused) {
  const std::string one = "{apiVersion: flux-framework.org/v1alpha2, kind: MiniCluster}\n";
  EXPECT_TRUE(only_minicluster(one));
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "has no document"},
           {"{apiVersion: v1, kind: List, items: []}", "expected one MiniCluster and nothing else"},
           {"a: [", "line 1"},
           {one + "---\n" + one, "expected one MiniCluster and nothing else"},
           {"{apiVersion: v1, kind: Pod}", "expected one MiniCluster and nothing else"},
           {"{apiVersion: v1, kind: MiniCluster}",
            "apiVersion must be flux-framework.org/v1alpha2"},
           {"a: b", "kind is missing"}}) {
    const auto found = only_minicluster(text);
    ASSERT_FALSE(found) << text;
    EXPECT_THAT(found.error(), HasSubstr(words));
  }
}

TEST(RefusedFields, ReadAsInKubectl) {
  const json one = {{"field", "spec.size"}, {"message", "must be\n1"}};
  const json two = {{"field", "spec.tasks"}, {"message", "must be 2"}};
  const auto said = [](const json& causes) {
    return refused_fields(
        {{"reason", "Invalid"},
         {"details", {{"kind", "MiniCluster"}, {"name", "x"}, {"causes", causes}}}});
  };
  EXPECT_EQ(said(json::array({one})), "The MiniCluster \"x\" is invalid: spec.size: must be 1");
  EXPECT_EQ(said({two, one, two}),
            "The MiniCluster \"x\" is invalid:\n* spec.size: must be 1\n* spec.tasks: must be 2");
  EXPECT_EQ(said(json::array()), "");
  EXPECT_EQ(refused_fields({{"reason", "Forbidden"}}), "");
}

}  // namespace
}  // namespace mc::kubectl
