#include "e2e/stories/mpi.h"

#include <cmath>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>

#include "tests/support/folders.h"
#include "tests/support/plugin.h"

// MPI programs over the pod network. `make mpi-matrix` runs the other pairs (mpi_matrix_test.cpp).
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// The stories with `Pmix` in their name need flux-pmix.
class RealFluxMpi : public PodStory {};

// Two tasks on each pod, as many as the smallest node has processors. All pods start at once.
TEST_F(RealFluxMpi, PmixAndPmi1MakeOneJobOfEachMpiWhichEndsWithZero) {
  struct Cell {
    const char* name;
    Mpi mpi;
    Program program;
    int tasks;
    const char* options;
    Flux flux;
  };
  const std::vector<Cell> cells = {
      {"openmpi-4", kOpenMpi4, Program::kC, 4, "", Flux::kByView},
      {"openmpi-5", kOpenMpi5, Program::kMpi4py, 4, "", Flux::kByView},
      {"mpich-5", kMpich5, Program::kMpi4py, 8, "", Flux::kInImage},
      {"mpich-5-c", kMpich5, Program::kC, 4, "", Flux::kByView},
  };
  for (const Cell& cell : cells) {
    apply(mpi_minicluster(cell.name, cell.tasks / 2, cell.tasks, cell.mpi,
                          command(cell.mpi, cell.program), cell.options, cell.flux));
  }
  const test::Stopwatch watch;
  for (const Cell& cell : cells) {
    SCOPED_TRACE(cell.name);
    ASSERT_TRUE(reaches(cell.name, "Complete", std::chrono::seconds(300)));
    const std::string output = log(cell.name, 0);
    EXPECT_EQ(wrong(output, cell.name, cell.tasks / 2, cell.tasks), "") << output;
    std::cout << cell.name << ": complete " << watch.seconds() << " s after the last apply\n";
  }
}

// As with a Flux view without flux-pmix.
TEST_F(RealFluxMpi, OpenMpi5WithPmi1AloneEndsWithZeroAndTheConditionSaysThatItsTasksWereAlone) {
  apply(mpi_minicluster("alone", 2, 4, kOpenMpi5, command(kOpenMpi5, Program::kMpi4py),
                        "-o pmi=simple"));
  ASSERT_TRUE(reaches("alone", "Complete", std::chrono::seconds(180)));
  EXPECT_THAT(
      reason("alone", "Complete"),
      ::testing::ContainsRegex("[2-4] of its tasks ran as MPI programs of one rank each, because "
                               "libmpi.so.40 cannot find the other tasks"));
}

// The rows that LAMMPS prints of its thermodynamic state.
std::vector<std::vector<double>> thermo(const std::string& output) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(output);
  std::string line;
  while (std::getline(lines, line) && line.find("Temp") == std::string::npos) {
  }
  while (std::getline(lines, line) && line.rfind("Loop time", 0) != 0) {
    std::istringstream words(line);
    rows.emplace_back(std::istream_iterator<double>(words), std::istream_iterator<double>());
  }
  return rows;
}

// The table that LAMMPS prints, without spaces at the ends of lines.
std::string thermo_table(const std::string& output) {
  const std::size_t begin = output.find("\nStep Temp"), end = output.find("\nLoop time", begin);
  if (end == std::string::npos) return "";
  return std::regex_replace(output.substr(begin, end - begin), std::regex(" +(\n|$)"), "$1");
}

// The line with the grid on which LAMMPS has put its ranks.
std::string grid(const std::string& output) {
  const std::size_t end = output.find(" MPI processor grid");
  if (end == std::string::npos) return "";
  const std::size_t begin = output.rfind('\n', end) + 1;
  return output.substr(begin, end - begin);
}

TEST_F(RealFluxMpi, HpcChallengeOfTheExamplesComputesWithoutErrors) {
  const test::Plugin plugin(kubectl);
  const Outcome ran =
      plugin({"run", "-f", test::source_dir() / "examples/hpcc.yaml", "--set",
              "spec.containers[0].image=localhost/" + std::string(kOpenMpi4.image) + ":e2e",
              "--set", std::string("spec.flux.container.image=") + kFluxViewImage, "--set",
              std::string("spec.flux.optionFlags=") + kYield},
             std::chrono::seconds(300));
  ASSERT_EQ(ran.code, 0) << ran.err << everything();
  EXPECT_THAT(
      test::lines_of(ran.out),
      ::testing::IsSupersetOf({"Success=1", "CommWorldProcs=4", "HPL_nprow=2", "PTRANS_residual=0",
                               "MPIRandomAccess_Errors=0", "MPIFFT_Procs=4"}));
}

// Two MiniClusters of four pods, one after the other: half a minute.
TEST_F(RealFluxMpi, LammpsPrintsWhatMpirunOnOneHostPrintsAndWhatTheReadmeShows) {
  const std::string image = "localhost/" + std::string(kOpenMpi4.image) + ":e2e";
  apply(mpi_pod("mpirun", kOpenMpi4,
                {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", "lmp", "-in",
                 "/data/in.lj"}));
  const test::Plugin plugin(kubectl);
  const Outcome four = plugin({"run", "lammps", "--image", image, "--set",
                               std::string("spec.flux.container.image=") + kFluxViewImage, "-N",
                               "4", "-n", "4", "--", "lmp", "-in", "/data/in.lj"},
                              std::chrono::seconds(300));
  ASSERT_EQ(four.code, 0) << four.err << everything();
  std::cout << four.out;
  apply(mpi_minicluster("eight", 4, 8, kOpenMpi4, "lmp -in /data/in.lj", kYield));
  ASSERT_TRUE(reaches("eight", "Complete", std::chrono::seconds(300)));
  ASSERT_TRUE(succeeds("mpirun", std::chrono::seconds(300)));

  const std::string one_host = kubectl.must({"logs", "mpirun"});
  const std::string table = thermo_table(four.out);
  EXPECT_THAT(thermo(four.out), SizeIs(6));
  EXPECT_NE(table, "");
  EXPECT_EQ(table, thermo_table(one_host));
  EXPECT_EQ(grid(four.out), grid(one_host));
  EXPECT_THAT(test::text_of("README.md"), HasSubstr(table));

  const auto few = thermo(four.out), many = thermo(log("eight", 0));
  ASSERT_EQ(few.size(), many.size());
  for (std::size_t row = 0; row < few.size() && few[row].at(0) <= 100; ++row) {
    for (std::size_t i = 0; i < few[row].size(); ++i) {
      EXPECT_LE(std::abs(few[row][i] - many[row].at(i)), 1e-6 * std::abs(few[row][i]))
          << "step " << few[row][0] << ", column " << i;
    }
  }
}

}  // namespace
}  // namespace mc::e2e
