#include "e2e/stories/workers.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/folders.h"
#include "tests/support/process.h"

namespace mc::e2e {
namespace {

std::string name_of(int number) { return "node" + std::to_string(number); }

}  // namespace

// All at once: most of the time each waits for its kubelet.
Workers::Workers(const test::Kubectl& kubectl, int count, const std::vector<std::string>& names)
    : cluster_(kubectl.control_plane().parent_path()), count_(count) {
  std::vector<std::unique_ptr<test::Process>> starts;
  for (int number = 1; number <= count; ++number) {
    std::vector<std::string> up = command("up", name_of(number));
    for (const std::string& name : names) {
      up.push_back(test::source_dir() / "build/e2e/images" / (name + ".tar"));
    }
    starts.push_back(std::make_unique<test::Process>(up));
  }
  for (const auto& start : starts) {
    EXPECT_EQ(start->wait(std::chrono::minutes(4)), 0) << start->out() << start->err();
  }
}

Workers::~Workers() {
  for (int number = 1; number <= count_; ++number) must("down", name_of(number));
}

std::vector<std::string> Workers::command(const std::string& verb, const std::string& node) const {
  return {test::source_dir() / "e2e/cluster/worker.sh", verb, cluster_, node.substr(4)};
}

void Workers::must(const std::string& verb, const std::string& node) const {
  test::must_run(command(verb, node));
}

}  // namespace mc::e2e
