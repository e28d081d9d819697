#include "tests/faults/replica.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/stage.h"

namespace mc::test {
namespace {

kube::Config upstream(const Kubectl& kubectl, int number) {
  auto config = kube::load_config(kubectl.kubeconfig());
  EXPECT_TRUE(config) << config.error().message;
  config->user_agent = std::string(kAgent) + std::to_string(number);
  return *config;
}

// libfaketime's library for programs with threads, below the folder of the architecture.
std::string faketime() {
  for (const auto& folder : std::filesystem::directory_iterator("/usr/lib")) {
    const auto library = folder.path() / "faketime/libfaketimeMT.so.1";
    if (std::filesystem::exists(library)) return library;
  }
  ADD_FAILURE() << "libfaketime is not installed: run ./packages.sh";
  return "";
}

}  // namespace

void Replica::set_clock(std::chrono::seconds ahead) const {
  std::ofstream(folder_ / "clock.new") << std::showpos << ahead.count() << "\n";
  std::filesystem::rename(folder_ / "clock.new", folder_ / "clock");
}

Replica::Replica(const Kubectl& kubectl, std::uint64_t seed, int number,
                 const std::vector<std::string>& arguments)
    : number_(number),
      proxy_(std::make_unique<FaultProxy>(upstream(kubectl, number),
                                          seed * 1000 + static_cast<std::uint64_t>(number))) {
  const std::filesystem::path file = folder_ / "kubeconfig";
  std::ofstream(file) << proxy_->kubeconfig();
  set_clock(std::chrono::seconds(0));
  std::vector<std::string> command = {"env",
                                      "LD_PRELOAD=" + faketime(),
                                      "FAKETIME_TIMESTAMP_FILE=" + (folder_ / "clock").string(),
                                      "FAKETIME_CACHE_DURATION=1",
                                      "FAKETIME_DONT_FAKE_MONOTONIC=1",
                                      "NO_FAKE_STAT=1",
                                      controller_program(),
                                      "--kubeconfig",
                                      file,
                                      "-v",
                                      "2",
                                      "--leader-elect",
                                      "--leader-election-namespace",
                                      kubectl.namespace_name()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  service_ = std::make_unique<Service>(command);
}

}  // namespace mc::test
