#include "services/webhook/limits_watcher.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/support/eventually.h"
#include "tests/support/temporary_folder.h"

namespace mc::webhook {
namespace {

using mc::test::eventually;

class LimitsWatcherTest : public testing::Test {
 protected:
  void write(const std::string& text) {
    std::ofstream(folder_.path() / "limits.json.new") << text;
    std::filesystem::rename(folder_.path() / "limits.json.new", folder_.path() / "limits.json");
  }

  const mc::test::TemporaryFolder folder_;
};

std::string setup_of(const LimitsWatcher& watcher) {
  const auto now = watcher.current();
  return now ? now->setup : "";
}

TEST_F(LimitsWatcherTest, FollowsTheFileAndKeepsTheLimitsWhileItIsBroken) {
  LimitsWatcher watcher(folder_.path());
  EXPECT_EQ(watcher.current(), nullptr);
  const std::jthread follower([&](const std::stop_token& stop) { watcher.run(stop); });
  write(R"({"fluxsetup": "one", "hard": {"cpu": "4"}})");
  EXPECT_TRUE(eventually([&] { return setup_of(watcher) == "one"; }));
  write("{");
  write(R"({"fluxsetup": "two", "hard": {"cpu": "4"}})");
  EXPECT_TRUE(eventually([&] { return setup_of(watcher) == "two"; }));
  write("{");
  std::filesystem::remove(folder_.path() / "limits.json");
  EXPECT_TRUE(eventually([&] { return watcher.current() == nullptr; }));
}

TEST_F(LimitsWatcherTest, ReadsTheFileBeforeTheFirstRequest) {
  write(R"({"fluxsetup": "one", "hard": {"cpu": "4"}})");
  EXPECT_EQ(setup_of(LimitsWatcher(folder_.path())), "one");
}

TEST_F(LimitsWatcherTest, AFolderThatIsNotThereHasNoLimits) {
  EXPECT_EQ(LimitsWatcher(folder_.path() / "missing").current(), nullptr);
}

}  // namespace
}  // namespace mc::webhook
