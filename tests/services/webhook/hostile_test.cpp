#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/commands/check.h"
#include "services/webhook/review.h"
#include "tests/common/api/hostile_objects.h"
#include "tests/services/webhook/requests.h"
#include "tests/support/cpu_time.h"
#include "tests/support/temporary_folder.h"

// The CPU time of an answer to a hostile object is limited to a multiple of parsing the bytes as
// JSON, plus a constant, optimised or not.
namespace mc::webhook {
namespace {

// Seconds. Some objects took minutes before they were limited. Without optimisation and with
// sanitizers, everything takes several times as long as in a release build, including the parsing
// of JSON.
constexpr double kAlways = 0.5, kTimesReading = 40;
constexpr std::size_t kMostMemory = 700'000'000;  // bytes

// The most memory that the process has had, in bytes.
std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

void expect_cheap_answers(const std::vector<test::HostileObject>& objects) {
  const std::size_t before = peak_memory();
  for (const test::HostileObject& one : objects) {
    SCOPED_TRACE(one.name);
    const std::string body =
        review_of(one.old.is_null() ? "CREATE" : "UPDATE", one.object, one.old).dump();
    const double reading = test::cpu_seconds([&] { EXPECT_TRUE(json::parse(body).is_object()); });
    AdmissionResponse answer;
    const double took = test::cpu_seconds([&] { answer = review(Mode::Mutate, body); });
    EXPECT_LT(took, kAlways + kTimesReading * reading);
    EXPECT_EQ(answer.refusal, "Invalid");
    EXPECT_LT(answer.body.size(), 200'000U);
    std::cout << one.name << ": " << body.size() << " bytes, read in " << 1000 * reading
              << " ms, answered in " << 1000 * took << " ms\n";
  }
  // A sanitizer keeps what was freed.
  EXPECT_LT(peak_memory() - before, kMostMemory);
  std::cout << "all of them took " << (peak_memory() - before) / 1'000'000 << " MB\n";
}

TEST(Hostile, ObjectsAreAnsweredInTimeByAReview) { expect_cheap_answers(test::hostile_objects()); }

TEST(Hostile, UpdatesAreAnsweredInTimeByAReview) { expect_cheap_answers(test::hostile_updates()); }

TEST(Hostile, ObjectsAreAnsweredInTimeByCheck) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "hostile.json";
  for (const test::HostileObject& one : test::hostile_objects()) {
    SCOPED_TRACE(one.name);
    const std::string text = one.object.dump();
    std::ofstream(file) << text;
    const double reading = test::cpu_seconds([&] { EXPECT_TRUE(json::parse(text).is_object()); });
    std::istringstream none;
    std::ostringstream out, err;
    const double took = test::cpu_seconds([&] {
      EXPECT_EQ(commands::check({.files = {file}}, none, out, err), commands::kCheckRefused);
    });
    EXPECT_LT(took, kAlways + kTimesReading * reading);
    std::cout << one.name << ": checked in " << 1000 * took << " ms\n";
  }
}

}  // namespace
}  // namespace mc::webhook
