#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/support/folders.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// counted() of lib.sh: what tests/run.sh and e2e/run.sh conclude from a report.
namespace mc::test {
namespace {

const char* const kPassed = R"({"name": "B", "status": "RUN", "result": "COMPLETED"})";
const char* const kFailed =
    R"({"name": "C", "status": "RUN", "result": "COMPLETED", "failures": [{}, {}]})";
const char* const kSkipped =
    R"({"name": "D", "classname": "RealFlux", "status": "RUN", "result": "SKIPPED"})";
const char* const kWithoutKueue =
    R"({"name": "F", "classname": "KueueStory", "status": "RUN", "result": "SKIPPED"})";
const char* const kDisabled = R"({"name": "E", "status": "NOTRUN", "result": "SUPPRESSED"})";

std::string suite(const std::string& tests) { return R"({"testsuite": [)" + tests + "]}"; }

std::string report(const std::string& suites) { return R"({"testsuites": [)" + suites + "]}"; }

std::string counted(const std::string& text, const std::string& flux = "/flux",
                    const std::string& kueue = "/kueue") {
  const TemporaryFolder folder;
  const auto file = folder / "report.json";
  std::ofstream(file) << text;
  return run({"bash", "-c", ". \"$0\" && counted \"$1\"", source_dir() / "tests/support/lib.sh",
              file.string()},
             {.input = "",
              .environment = {{"MINICLUSTER_FLUX", flux}, {"MINICLUSTER_KUEUE", kueue}}})
      .out;
}

TEST(Report, EachTestThatRanIsOneThatPassedOrFailed) {
  const std::string comma = ",";
  EXPECT_EQ(counted(report(suite(kPassed + comma + kPassed))), "2 0\n");
  EXPECT_EQ(counted(report(suite(kPassed + comma + kFailed))), "1 1\n");
  EXPECT_EQ(counted(report(suite(kPassed + comma + kSkipped))), "1 1\n");
  EXPECT_EQ(counted(report(suite(kPassed + comma + kDisabled))), "1 0\n");
  EXPECT_EQ(counted(report(suite(kPassed) + comma + suite(kFailed))), "1 1\n");
}

TEST(Report, WithoutFluxWhatWasSkippedHasNeitherPassedNorFailed) {
  const std::string comma = ",";
  EXPECT_EQ(counted(report(suite(kPassed + comma + kSkipped)), ""), "1 0\n");
  EXPECT_EQ(counted(report(suite(kSkipped + comma + kFailed)), ""), "0 1\n");
}

TEST(Report, WithoutKueueWhatWasSkippedOfItHasNeitherPassedNorFailed) {
  const std::string comma = ",";
  EXPECT_EQ(counted(report(suite(kPassed + comma + kWithoutKueue)), "/flux", ""), "1 0\n");
  EXPECT_EQ(counted(report(suite(kPassed + comma + kWithoutKueue)), "", "/kueue"), "1 1\n");
  EXPECT_EQ(counted(report(suite(kPassed + comma + kSkipped)), "/flux", ""), "1 1\n");
}

// GoogleTest 1.12 omits the comma before a failure outside of every test.
TEST(Report, AFailureOutsideOfEveryTestIsOneMore) {
  EXPECT_EQ(counted("{\"testsuites\": [\n    {\n\"testsuite\": [" + std::string(kPassed) +
                    "]\n    }    {\n\"testsuite\": [" + kFailed + "]\n    }\n]}\n"),
            "1 1\n");
}

TEST(Report, OneThatWasCutOffIsRefused) {
  EXPECT_EQ(counted(""), "");
  EXPECT_EQ(counted("{\"testsuites\": ["), "");
}

}  // namespace
}  // namespace mc::test
