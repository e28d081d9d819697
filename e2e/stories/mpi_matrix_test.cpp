#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

#include "e2e/stories/mpi.h"

// Every MPI with every way to find the other tasks, with Flux from the view and in the image, 4 and
// 8 tasks on four pods: ten minutes. Only `make mpi-matrix` runs it. The table goes to docs/mpi.md.
namespace mc::e2e {
namespace {

struct Way {
  const char* name;  // column of the table
  std::string options;
};

struct Row {
  const char* name;
  Mpi mpi;
  Program program;
  std::vector<Way> ways;
  std::vector<std::string> failing;  // the ways that are known to fail
  bool may_spin = false;             // it may never end after the right output
};

const std::vector<std::string> kColumns = {"no option", "PMI-1", "PMI-2", "PMIx"};
constexpr int kMatrixPods = 4;
constexpr const char* kMatrixLimit = "30s";  // of each job; most take two seconds

const Way kNone = {"no option", ""};
const Way kPmi1 = {"PMI-1", "-o pmi=simple"};
const Way kPmix = {"PMIx", "-o pmi=simple,pmix"};
const Way kMpichPmix = {"PMIx", "-o pmi=pmix"};
const Way kMpichPmi2 = {"PMI-2", "-o pmi=simple --env=MPIR_CVAR_PMI_VERSION=2"};
// Between pods of one node, Intel MPI's own choice of a provider fails.
const Way kIntelNone = {"no option", "--env=FI_PROVIDER=tcp"};
const Way kIntelPmi1 = {"PMI-1", "-o pmi=simple --env=FI_PROVIDER=tcp"};
const Way kIntelPmix = {"PMIx", "-o pmi=simple,pmix --env=FI_PROVIDER=tcp"};
const Way kIntelPmi2 = {"PMI-2",
                        "-o pmi=simple --env=FI_PROVIDER=tcp --env=I_MPI_PMI=pmi2 "
                        "--env=I_MPI_PMI_LIBRARY=/opt/software/flux/lib/flux/libpmi2.so"};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"C", kOpenMpi4, Program::kC, {kNone, kPmi1, kPmix}, {}},
      {"mpi4py (Debian)", kOpenMpi4, Program::kMpi4py, {kNone, kPmi1, kPmix}, {}},
      {"C", kOpenMpi5, Program::kC, {kNone, kPmi1, kPmix}, {"PMI-1"}},
      {"mpi4py (PyPI)", kOpenMpi5, Program::kMpi4py, {kNone, kPmi1, kPmix}, {"PMI-1"}},
      {"C", kMpich4, Program::kC, {kNone, kMpichPmix}, {"PMIx"}, true},
      {"mpi4py (PyPI)", kMpich4, Program::kMpi4py, {kNone}, {"no option"}},
      {"C", kMpich5, Program::kC, {kNone, kPmi1, kMpichPmi2, kMpichPmix}, {"PMI-2", "PMIx"}},
      {"mpi4py (PyPI)",
       kMpich5,
       Program::kMpi4py,
       {kNone, kPmi1, kMpichPmi2, kMpichPmix},
       {"PMI-2", "PMIx"}},
      {"mpi4py (PyPI), FI_PROVIDER=tcp",
       kIntelMpi,
       Program::kMpi4py,
       {kIntelNone, kIntelPmi1, kIntelPmi2, kIntelPmix},
       {"PMI-2"}},
  };
  return all;
}

// The page's part between its two comments.
class Table {
 public:
  void add(const Row& row, Flux flux, const std::map<std::string, std::string>& cells) {
    out_ << "| " << row.mpi.name << ", " << row.name << " | "
         << (flux == Flux::kByView ? "view" : "image");
    for (const std::string& column : kColumns) {
      const auto cell = cells.find(column);
      out_ << " | " << (cell == cells.end() ? "" : cell->second);
    }
    out_ << " |\n";
  }

  // The number of a failure's words.
  int note(const std::string& words) {
    const auto found = std::ranges::find(notes_, words);
    if (found != notes_.end()) return int(found - notes_.begin()) + 1;
    notes_.push_back(words);
    return int(notes_.size());
  }

  void write() const {
    std::ostringstream to;
    to << "| MPI, program | Flux in the";
    for (const std::string& column : kColumns) to << " | " << column;
    to << " |\n|";
    for (std::size_t i = 0; i < kColumns.size() + 2; ++i) to << " --- |";
    to << "\n" << out_.str() << "\n";
    for (std::size_t i = 0; i < notes_.size(); ++i) to << i + 1 << ". " << notes_[i] << "\n";
    write_measured("docs/mpi.md", std::move(to).str());
  }

 private:
  std::ostringstream out_;
  std::vector<std::string> notes_;
};

// The last words of a job that are neither Flux's summary nor a level of MPICH's stack.
std::string last_words(const std::string& output) {
  std::istringstream lines(output);
  std::string line, last;
  while (std::getline(lines, line)) {
    if (line.empty() || line.find("...") != std::string::npos || line.ends_with(": ") ||
        line.rfind("flux-job:", 0) == 0 || line.rfind("code ", 0) == 0)
      continue;
    last = line;
  }
  return std::regex_replace(last, std::regex(R"(^.*job\.exception \S+ )"), "");
}

class RealFluxMpiMatrix : public PodStory, public ::testing::WithParamInterface<Flux> {
 protected:
  static void SetUpTestSuite() { table_ = std::make_unique<Table>(); }
  static void TearDownTestSuite() {
    table_->write();
    table_.reset();
  }

  // What the table says of one way with 4 or 8 tasks: empty if it works.
  std::string run(const std::string& cluster, const Row& row, const Way& way, int tasks) const {
    const std::string n = std::to_string(tasks);
    const std::string output =
        ask_flux(cluster, "flux run -t " + std::string(kMatrixLimit) + " -N4 -n" + n +
                              " -o cpu-affinity=off " + way.options + " " +
                              command(row.mpi, row.program) + " 2>&1 </dev/null; echo code $?")
            .out;
    const bool zero = output.find("\ncode 0\n") != std::string::npos;
    std::string why = wrong(output, cluster, kMatrixPods, tasks);
    if (why.empty() && zero) return "";
    std::cout << row.mpi.name << ", " << row.name << ", " << way.name << ", " << n << " tasks:\n"
              << output << std::endl;
    if (why.empty()) return kRight + last_words(output) + "`";
    why = why == "no rank" ? "no output" : "says " + why;
    if (zero) return why + ", code 0";
    return why + "; last words: `" + last_words(output) + "`";
  }

  // The first words about a job whose output is right, but which fails.
  static inline const std::string kRight = "the output is right; last words: `";

  inline static std::unique_ptr<Table> table_;
};
INSTANTIATE_TEST_SUITE_P(Flux, RealFluxMpiMatrix, kBothFluxes, name_of);

TEST_P(RealFluxMpiMatrix, PmixPmi1AndPmi2WorkWhereTheyAreKnownToWorkAndNowhereElse) {
  std::string image, cluster;
  for (const Row& row : rows()) {
    if (row.mpi.image != image) {
      if (!image.empty()) kubectl.must({"delete", "minicluster", cluster});
      image = row.mpi.image;
      cluster = image;
      json interactive =
          mpi_minicluster(cluster, kMatrixPods, kMatrixPods, row.mpi, "", "", GetParam());
      interactive["spec"]["interactive"] = true;
      apply(interactive);
      ASSERT_TRUE(reaches(cluster, "Ready", std::chrono::seconds(180)));
      flux_answers(cluster, "flux run -N4 true && echo started", "started");
    }
    std::map<std::string, std::string> cells;
    for (const Way& way : row.ways) {
      const std::string four = run(cluster, row, way, 4), eight = run(cluster, row, way, 8);
      const bool fails = std::ranges::find(row.failing, way.name) != row.failing.end();
      for (const std::string& why : {four, eight}) {
        if (row.may_spin && why.starts_with(kRight)) continue;
        EXPECT_EQ(!why.empty(), fails) << row.mpi.name << ", " << way.name << ": " << why;
      }
      const auto said = [&](const char* tasks, const std::string& why) {
        return std::string(tasks) +
               (why.empty() ? "" : " fails (" + std::to_string(table_->note(why)) + ")");
      };
      cells[way.name] = said("4", four) + ", " + said("8", eight);
    }
    table_->add(row, GetParam(), cells);
  }
}

}  // namespace
}  // namespace mc::e2e
