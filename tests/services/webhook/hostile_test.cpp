#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "common/api/check.h"
#include "common/base/json.h"
#include "services/webhook/review.h"
#include "tests/common/api/base_object.h"
#include "tests/support/cpu_time.h"
#include "tests/support/temporary_folder.h"

// Objects that are designed to be expensive for the webhook. The CPU time of an answer is limited
// to a multiple of parsing the bytes as JSON, plus a constant, optimised or not.
namespace mc::webhook {
namespace {

std::string repeated(const std::string& part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

json with_hostlist(std::size_t repeats) {
  json object = test::base_object();
  object["spec"]["flux"]["bursting"]["hostlist"] = repeated("a[0-99999],", repeats);
  return object;
}

json with_broker_config(std::size_t repeats) {
  json object = test::base_object();
  object["spec"]["flux"]["brokerConfig"] =
      "[bootstrap]\nhosts = [" + repeated("{host = \"a[0-99999]\"},", repeats) + "]\n";
  return object;
}

json with_ports(std::size_t count) {
  json object = test::base_object();
  object["spec"]["containers"][0]["ports"] = json::array_t(count, 70000);
  return object;
}

// Errors below one long name, which would be in the path of each.
json below_a_long_name(std::size_t count, std::size_t length) {
  json object = test::base_object();
  json& volume = object["spec"]["containers"][0]["volumes"][std::string(length, 'a')];
  volume = {{"path", "/data"}, {"configMapName", "c"}};
  for (std::size_t i = 0; i < count; ++i) volume["items"]["!" + std::to_string(i)] = "";
  return object;
}

struct Hostile {
  const char* name;
  json object;
};

std::vector<Hostile> all() {
  return {{"a hostlist of 1 KB", with_hostlist(100)},
          {"a hostlist of 33 KB", with_hostlist(3'000)},
          {"a hostlist of 3 MiB", with_hostlist(286'000)},
          {"a broker.toml of 70 KB", with_broker_config(3'000)},
          {"40,000 wrong ports", with_ports(40'000)},
          {"100,000 wrong ports", with_ports(100'000)},
          {"5,000 errors below a long name", below_a_long_name(5'000, 100'000)}};
}

std::string admission_of(const json& object) {
  const json request = {
      {"uid", "1"},
      {"operation", "CREATE"},
      {"kind", {{"group", "flux-framework.org"}, {"version", "v1alpha2"}, {"kind", "MiniCluster"}}},
      {"object", object}};
  return json{
      {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", request}}
      .dump();
}

// Seconds. Some objects took minutes before they were limited. Without optimisation and with
// sanitizers, everything takes several times as long as in a release build, including the parsing
// of JSON.
constexpr double kAlways = 0.5, kTimesReading = 40;

TEST(Hostile, ObjectsAreAnsweredInTimeByAReview) {
  for (const Hostile& one : all()) {
    SCOPED_TRACE(one.name);
    const std::string body = admission_of(one.object);
    const double reading = test::cpu_seconds([&] { EXPECT_TRUE(json::parse(body).is_object()); });
    Answer answer;
    const double took = test::cpu_seconds([&] { answer = review(Mode::Mutate, body); });
    EXPECT_LT(took, kAlways + kTimesReading * reading);
    EXPECT_EQ(answer.refusal, "Invalid");
    EXPECT_LT(answer.body.size(), 200'000U);
    std::cout << one.name << ": " << body.size() << " bytes, read in " << 1000 * reading
              << " ms, answered in " << 1000 * took << " ms\n";
  }
}

TEST(Hostile, ObjectsAreAnsweredInTimeByCheck) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "hostile.json";
  for (const Hostile& one : all()) {
    SCOPED_TRACE(one.name);
    const std::string text = one.object.dump();
    std::ofstream(file) << text;
    const double reading = test::cpu_seconds([&] { EXPECT_TRUE(json::parse(text).is_object()); });
    std::istringstream none;
    std::ostringstream out, err;
    const double took = test::cpu_seconds(
        [&] { EXPECT_EQ(api::check({.files = {file}}, none, out, err), api::kCheckRefused); });
    EXPECT_LT(took, kAlways + kTimesReading * reading);
    std::cout << one.name << ": checked in " << 1000 * took << " ms\n";
  }
}

}  // namespace
}  // namespace mc::webhook
