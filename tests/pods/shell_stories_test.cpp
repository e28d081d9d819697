#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/pods/story.h"

// What Flux's job shell does by shell.lua: options that have no effect are told, and so are tasks
// of an MPI program that cannot find each other.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using ShellOptions = WithFlux;
using Singletons = WithFlux;

TEST_F(ShellOptions, ThatThisFluxDoesNotHaveAreTold) {
  Node node;
  api::MiniCluster cluster = in_image(
      launcher(node,
               "flux run -o pmi=magic true; flux run -o pmi=simple,other true;"
               "flux run -o mpi=nobody@5 true; flux run -o mpi=spectrum true; flux run true",
               1));
  Pods pods(node, cluster);
  EXPECT_TRUE(end_with(pods, {0}));
  const std::string log = pods.log(0);
  EXPECT_EQ(count(log, " has no effect: this Flux has no "), 3) << log;
  EXPECT_THAT(log, HasSubstr("-o pmi=magic has no effect: this Flux has no plugin magic\n"));
  EXPECT_THAT(log, HasSubstr("-o pmi=other has no effect: this Flux has no plugin other\n"));
  EXPECT_THAT(log,
              HasSubstr("-o mpi=nobody@5 has no effect: this Flux has no file mpi/nobody.lua\n"));
}

// Runs a script that starts jobs of two tasks; the message of the lead's container and its log. A
// library with the name of Open MPI 5's, which speaks only PMIx, is enough: what is in it does not
// count.
struct Told {
  std::string message, log;
};
Told told_of(const std::string& script) {
  Node node;
  api::MiniCluster cluster = in_image(launcher(node, "", 2));
  cluster.spec.containers[0].command = "";
  cluster.spec.containers[0].commands.script = script;
  for (const char* library : {"libmpi.so.40", "libmpi.so.12", "libother.so.1"}) {
    std::filesystem::copy_file("/lib/x86_64-linux-gnu/libutil.so.1",
                               node.machine().sources.claims.at("data") / library);
  }
  Pods pods(node, cluster);
  EXPECT_TRUE(end_with(pods, {0}));
  return {pods.message(0), pods.log(0)};
}

TEST_F(Singletons, OfAnMpiThatCannotSpeakWhatFluxOffersAreTold) {
  for (const char* words : {"env LD_PRELOAD=/data/libmpi.so.40 sleep 3",
                            "sh -c 'LD_PRELOAD=/data/libmpi.so.40 sleep 3; true'"}) {
    SCOPED_TRACE(words);
    const Told told = told_of(std::string("flux run -n2 -o pmi=simple ") + words);
    EXPECT_EQ(told.message, "minicluster singletons=2 library=libmpi.so.40") << told.log;
    EXPECT_THAT(told.log, HasSubstr("2 tasks ran as MPI programs of one rank each, because "
                                    "libmpi.so.40 cannot find the other tasks."));
  }
}

TEST_F(Singletons, AreNotToldOfOtherPrograms) {
  const Told told = told_of(R"(run() { flux run -n2 -o pmi=simple "$@" || exit; }
run sleep 2
run env LD_PRELOAD=/data/libother.so.1 sleep 2
# MPICH speaks PMI-1.
run env LD_PRELOAD=/data/libmpi.so.12 sleep 2
run env LD_PRELOAD=/data/libmpi.so.40 PMIX_NAMESPACE=x sleep 2
# One task alone.
run sh -c '[ $FLUX_TASK_RANK = 1 ] || export LD_PRELOAD=/data/libmpi.so.40; sleep 2; true'
)");
  EXPECT_EQ(told.message, "") << told.log;
  EXPECT_THAT(told.log, Not(HasSubstr("of one rank each")));
}

}  // namespace
}  // namespace mc::pods
