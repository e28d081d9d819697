#include "tests/flux_stand_in/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/flux/curve.h"
#include "tests/support/temporary_folder.h"

// The stand-in rejects what a real broker rejects.
namespace mc::stand_in {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Folder : public ::testing::Test {
 protected:
  Folder() {
    write("curve.cert", flux::curve_certificate(flux::generate_curve_keys(), "test"), 0400);
  }

  void write(const std::string& name, const std::string& text, int mode = 0644) {
    fs::remove(path_ / name);
    std::ofstream(path_ / name) << text;
    fs::permissions(path_ / name, static_cast<fs::perms>(mode));
  }
  // A broker.toml with these lines in [bootstrap], read as host fs-1.
  Result<Config> read(const std::string& lines) {
    write("broker.toml",
          "[bootstrap]\ncurve_cert = \"" + (path_ / "curve.cert").string() + "\"\n" + lines);
    return load_config(path_.path().string(), "fs-1");
  }
  std::string refusal(const std::string& lines) {
    const auto config = read(lines);
    return config ? "" : config.error().message;
  }

  test::TemporaryFolder path_;
};

const std::string kWorks =
    "default_port = 8050\ndefault_bind = \"tcp://*:%p\"\ndefault_connect = \"tcp://%h.s:%p\"\n"
    "hosts = [{host = \"fs-[0-2]\"}]\n";

TEST_F(Folder, RanksAndEndpointsComeFromTheHosts) {
  const auto config = read(kWorks + "enable_ipv6 = true\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->hosts, ElementsAre("fs-0", "fs-1", "fs-2"));
  EXPECT_EQ(config->rank, 1U);
  EXPECT_EQ(config->bind, "tcp://*:8050");
  EXPECT_EQ(config->connect, "tcp://fs-0.s:8050");
  EXPECT_TRUE(config->ipv6);
  EXPECT_EQ(config->keys.public_key.size(), 40U);
}

TEST_F(Folder, WhatNoBrokerTakesIsRefused) {
  EXPECT_THAT(refusal(kWorks + "bogus = 1\n"), HasSubstr("not a key of [bootstrap]"));
  EXPECT_THAT(refusal("hosts = [\"fs-[0-2]\"]\n"), HasSubstr("must be a table"));
  EXPECT_THAT(refusal("default_bind = \"tcp://*:%p\"\nhosts = [{host = \"fs-[0-2]\"}]\n"),
              HasSubstr("default_port is missing"));
  EXPECT_THAT(refusal("hosts = [\n"), HasSubstr("broker.toml: line "));
  EXPECT_EQ(refusal("hosts = [{host = \"fs-[2-5]\"}]\n"), "fs-1 not found in hosts");
  EXPECT_THAT(load_config((path_ / "none").string(), "fs-1").error().message,
              HasSubstr("none/broker.toml: "));
}

TEST_F(Folder, CertificateIsForItsOwnerOnly) {
  const std::string path = (path_ / "curve.cert").string();
  for (const int mode : {0440, 0640, 0604, 0644}) {
    fs::permissions(path, static_cast<fs::perms>(mode));
    EXPECT_EQ(refusal(kWorks), path + ": readable by group/other") << mode;
  }
  for (const int mode : {0400, 0600, 0620, 0711}) {
    fs::permissions(path, static_cast<fs::perms>(mode));
    EXPECT_EQ(refusal(kWorks), "") << mode;
  }
  write("curve.cert", "metadata\n", 0400);
  EXPECT_EQ(refusal(kWorks), "Error loading certificate: " + path + ": Invalid argument");
  fs::remove(path);
  EXPECT_THAT(refusal(kWorks), HasSubstr(path));
}

}  // namespace
}  // namespace mc::stand_in
