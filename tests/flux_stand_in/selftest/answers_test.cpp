#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <ostream>
#include <regex>

#include "tests/support/folders.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// The stand-in answers like real Flux: one table of the commands of the entry points and the
// stories, run with the stand-in, and with real Flux if MINICLUSTER_FLUX names the folder that
// tests/flux/build.sh printed.
namespace mc::stand_in {
namespace {

using test::Outcome;
using ::testing::HasSubstr;

struct Question {
  std::string name;
  std::string line;  // a shell command: the program of a single broker
  int code = 0;
  std::string out = {};  // the whole output, with ID for job IDs
  std::string err = {};  // a part of standard error
};

void PrintTo(const Question& question, std::ostream* out) { *out << question.line; }

constexpr const char* kAttach = "flux job attach --read-only $id";

Question job(const std::string& name, const std::string& script, const std::string& question,
             int code = 0, const std::string& out = "", const std::string& err = "") {
  return {name, "id=$(flux submit -N1 -n1 " + script + "); " + question, code, out, err};
}

const Question kQuestions[] = {
    {"ProgramsCodeIsTheBrokers", "exit 7", 7},
    {"ProgramThatIsNotThereIs127", "no-such-program", 127},
    {"BrokerThatIsToldToEndEndsItsProgram", "kill -TERM $PPID; sleep 20", 129},
    {"SubmitPrintsTheJobsId", "flux submit true", 0, "ID\n"},
    {"SubmitWithoutACommandIsRefused", "flux submit -n1", 1, "", "job command and arguments"},
    {"SubmitTakesOptions",
     "id=$(flux submit -n1 -o cpu-affinity=off -ompi=none --job-name=x -vvv true 2>/dev/null); " +
         std::string(kAttach),
     0},
    {"TasksKnowTheirRankAndHowManyTheyAre",
     "flux run -n2 sh -c 'echo $FLUX_TASK_RANK of $FLUX_JOB_SIZE' | sort", 0, "0 of 2\n1 of 2\n"},
    {"RunIsTheJobItself", "flux run sh -c 'echo a; echo b >&2; exit 3'", 3, "a\n", "b\n"},
    {"RunRefusesToWatch", "flux run --quiet --watch true", 2, "",
     "unrecognized arguments: --watch"},
    {"WatchingDoesNotSayTheId", "flux submit --quiet --watch echo hello", 0, "hello\n"},
    job("AttachShowsBothOutputsAndGivesTheCode", "sh -c 'echo a; echo b >&2; exit 3'", kAttach, 3,
        "a\n", "b\n"),
    job("AttachOfAKilledTaskIs137", "sh -c 'kill -9 $$'", kAttach, 137),
    job("AttachOfAMissingProgramIs127", "no-such-program", kAttach, 127, "", "no-such-program"),
    job("AttachShowsAllOfAJobThatHasEnded", "echo late",
        std::string("flux job status $id; ") + kAttach, 0, "late\n"),
    {"AttachOfNoJobIs1", "flux job attach --read-only f1111", 1, "", "No such job"},
    job("StatusIsTheJobsCode", "sh -c 'exit 5'", "flux job status --json $id >report || exit", 5),
    job("StatusOfAMissingProgramIs127", "no-such-program",
        "flux job status --json --exception-exit-code=127 $id | grep -c '^{'; flux job status $id",
        127, "1\n"),
    {"StatusOfSeveralIsTheHighest",
     "flux job status $(flux submit sh -c 'exit 3') $(flux submit sh -c 'exit 6') "
     "$(flux submit true)",
     6},
    {"StatusOfNoJobSaysNothing", "flux job status --json f1111", 1, "", "flux-job: "},
    job("EventLogHasItsFinish", "true",
        "flux job status $id; flux job eventlog $id | grep -c finish", 0, "1\n"),
    job("EventLogOfAJobThatRunsHasNone", "sleep 3", "flux job eventlog $id | grep -c finish", 1,
        "0\n"),
    {"ExecRunsOnEveryRankWithItsArguments",
     "flux exec -n -r all sh -c 'echo \"$1 $2\"; exit 6' sh 'a  b' c", 6, "a  b c\n"},
    {"AttributesOfTheInstance", "flux getattr size; flux getattr rank", 0, "1\n0\n"},
    {"AttributeThatIsNotThereIs1", "flux getattr nothing", 1, "", "nothing: No such file"},
    {"ProxyGoesToTheBrokerThatItNames",
     "uri=$FLUX_URI; unset FLUX_URI; flux proxy $uri flux getattr size", 0, "1\n"},
    {"ProxyTakesItsWordsAsALineOfShell",
     "flux proxy $FLUX_URI sh -c 'exit 4' && "
     "flux proxy $FLUX_URI \"sh -c 'exit 4'\"",
     4},
    {"NoBrokerIs1", "FLUX_URI=local:///no/socket flux getattr size", 1},
    {"UnknownCommandIs1", "flux no-such-command", 1, "", "`no-such-command' is not a flux command"},
    {"ResourcesAreThoseOfTheHosts",
     "flux R encode --hosts='a-[0-2]' --local | tr -d ' ' | "
     "grep -o '\"rank\":\"0-2\"\\|\"version\":1\\|\"nodelist\":\\[\"a-\\[0-2\\]\"\\]' | sort",
     0, "\"nodelist\":[\"a-[0-2]\"]\n\"rank\":\"0-2\"\n\"version\":1\n"},
    {"KeysAreForTheirOwnerOnly", "flux keygen k >/dev/null; stat -c %a k; grep -c -- -key k", 0,
     "600\n2\n"},
};

enum class Flux { StandIn, Real };

class Answers : public ::testing::TestWithParam<std::tuple<Flux, Question>> {};
INSTANTIATE_TEST_SUITE_P(Of, Answers,
                         ::testing::Combine(::testing::Values(Flux::StandIn, Flux::Real),
                                            ::testing::ValuesIn(kQuestions)),
                         [](const auto& kind) {
                           const bool real = std::get<0>(kind.param) == Flux::Real;
                           return (real ? "Flux_" : "StandIn_") + std::get<1>(kind.param).name;
                         });

// Runs a single broker with the line as its program.
Outcome ask(Flux flux, const std::string& line) {
  std::string folder = test::build_dir() / "tests/flux_stand_in";
  std::vector<std::string> command;
  if (flux == Flux::Real) {  // it runs only at the path for which it was built
    folder = "/opt/view/bin";
    const std::string mounted = R"(mount --bind "$MINICLUSTER_FLUX/opt" /opt && exec "$@")";
    command = {"unshare", "--mount", "--propagation", "private", "sh", "-c", mounted, "sh"};
  }
  const test::TemporaryFolder own;
  command.insert(command.end(),
                 {folder + "/flux", "start", "cd " + own.path().string() + "; " + line});
  test::ProcessOptions options;
  options.environment = {{"PATH", folder + ":/usr/sbin:/usr/bin:/sbin:/bin"}};
  return test::run(command, options, std::chrono::seconds(120));
}

TEST_P(Answers, AreFluxs) {
  const auto& [flux, question] = GetParam();
  if (flux == Flux::Real && getenv("MINICLUSTER_FLUX") == nullptr) {
    GTEST_SKIP() << "MINICLUSTER_FLUX is not set";
  }
  const Outcome outcome = ask(flux, question.line);
  static const std::regex id("^(\xC6\x92|f)[0-9A-Za-z]+\n");
  const std::string all = outcome.out + outcome.err;
  EXPECT_EQ(outcome.code, question.code) << all;
  EXPECT_EQ(std::regex_replace(outcome.out, id, "ID\n"), question.out) << all;
  EXPECT_THAT(outcome.err, HasSubstr(question.err));
}

}  // namespace
}  // namespace mc::stand_in
