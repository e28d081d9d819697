#include "tests/flux_stand_in/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/flux/curve.h"
#include "tests/flux_stand_in/attributes.h"
#include "tests/support/temporary_folder.h"

// The stand-in refuses what a real broker refuses.
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
  Result<Config> read(const std::string& lines, const std::string& more = "") {
    write("broker.toml",
          "[bootstrap]\ncurve_cert = \"" + (path_ / "curve.cert").string() + "\"\n" + lines + more);
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
  const auto config = read(kWorks + "enable_ipv6 = true\n", "[resource]\npath = \"/etc/R\"\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->hosts, ElementsAre("fs-0", "fs-1", "fs-2"));
  EXPECT_EQ(config->rank, 1U);
  EXPECT_EQ(config->bind, "tcp://*:8050");
  EXPECT_EQ(config->connect, "tcp://fs-0.s:8050");
  EXPECT_TRUE(config->ipv6);
  EXPECT_EQ(config->resources, "/etc/R");
  EXPECT_EQ(config->keys.public_key.size(), 40U);
}

TEST_F(Folder, AnEntryOfItsOwnSaysWhereTheLeadIs) {
  const auto config = read(
      "default_port = 8050\ndefault_bind = \"tcp://*:%p\"\ndefault_connect = \"tcp://%h.s:%p\"\n"
      "hosts = [{host = \"10.0.0.7\", bind = \"tcp://*:9\", connect = \"tcp://10.0.0.7:9\"},"
      " {host = \"fs-[0-1]\"}]\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->rank, 2U);
  EXPECT_EQ(config->connect, "tcp://10.0.0.7:9");
}

TEST_F(Folder, WhatNoBrokerTakesIsRefused) {
  EXPECT_THAT(refusal(kWorks + "bogus = 1\n"), HasSubstr("not a key of [bootstrap]"));
  EXPECT_THAT(refusal("hosts = [\"fs-[0-2]\"]\n"), HasSubstr("must be a table"));
  EXPECT_THAT(refusal("default_bind = \"tcp://*:%p\"\nhosts = [{host = \"fs-[0-2]\"}]\n"),
              HasSubstr("default_port is missing"));
  EXPECT_THAT(refusal("hosts = [\n"), HasSubstr("broker.toml: line "));
  EXPECT_EQ(refusal("hosts = [{host = \"fs-[2-5]\"}]\n"), "fs-1 not found in hosts");
  EXPECT_THAT(load_config((path_ / "none").string(), "fs-1").error().message, HasSubstr("none: "));
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

TEST_F(Folder, ResourcesHaveExactlyTheHosts) {
  const auto encoded = encode_resources("fs-[0-2]", 4);
  ASSERT_TRUE(encoded);
  write("R", *encoded);
  const std::string path = (path_ / "R").string();
  EXPECT_EQ(read_resources(path, {"fs-2", "fs-0", "fs-1"}).value_or(0), 4);
  EXPECT_THAT(read_resources(path, {"fs-0", "fs-9"}).error().message,
              "error reranking R: Host fs-9 not found in resources");
  EXPECT_THAT(read_resources(path, {"fs-0"}).error().message,
              "Number of hosts (1) is less than node count (3)");
  EXPECT_THAT(read_resources(path + ".none", {"fs-0"}).error().message, HasSubstr(".none: "));
  write("R", "{}");
  EXPECT_THAT(read_resources(path, {"fs-0"}).error().message, HasSubstr("not a resource"));
}

TEST_F(Folder, RundirBelongsToTheBroker) {
  const std::string own = (path_ / "run").string();
  {
    const auto made = OwnFolder::take("rundir", own);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(fs::exists(own));
  }
  EXPECT_FALSE(fs::exists(own)) << "what a broker makes it takes away";
  EXPECT_THAT(OwnFolder::take("rundir", (path_ / "no/run").string()).error().message,
              HasSubstr("No such file"));
  fs::create_directory(own);
  fs::permissions(own, fs::perms::owner_read);
  EXPECT_THAT(OwnFolder::take("rundir", own).error().message, HasSubstr("owner=rwx"));
  fs::permissions(own, fs::perms::all | fs::perms::sticky_bit);
  EXPECT_THAT(OwnFolder::take("rundir", own)->path(), HasSubstr("/run/flux-"));
  // Root gives its folder away; anybody else looks at root's.
  const bool root = geteuid() == 0;
  ASSERT_EQ(root ? chown(own.c_str(), 1234, 1234) : 0, 0);
  fs::permissions(own, fs::perms::all);
  const auto other = OwnFolder::take("rundir", root ? own : "/");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("is not owned by instance owner"));
}

TEST(Attributes, OnlyThoseThatFluxHasWithValuesThatItTakes) {
  for (const char* good :
       {"rundir=/x", "statedir=/x", "cron.directory=/x", "local-uri=local:///x", "tbon.fanout=256",
        "tbon.topo=kary:2", "tbon.connect_timeout=5s", "tbon.connect_timeout=5", "tbon.zmqdebug=1",
        "broker.rc2_none", "broker.quorum=2", "log-stderr-level=6", "log-stderr-mode=local",
        "content.restore=/x", "content.dump=/x"}) {
    EXPECT_TRUE(Attributes().set(good)) << good;
  }
  EXPECT_EQ(Attributes().set("bogus=1").error().message, "bogus: unknown attribute");
  for (const char* bad : {"log-stderr-level=debug", "tbon.topo=ring", "tbon.connect_timeout=soon",
                          "broker.quorum=all", "log-stderr-mode=x"}) {
    EXPECT_FALSE(Attributes().set(bad)) << bad;
  }
}

TEST(Attributes, QuorumIsAllUnlessSaid) {
  Attributes attributes;
  EXPECT_EQ(quorum(attributes, 4).value_or(0), 4U);
  ASSERT_TRUE(attributes.set("broker.quorum=2"));
  EXPECT_EQ(quorum(attributes, 4).value_or(0), 2U);
  EXPECT_FALSE(quorum(attributes, 1));
  ASSERT_TRUE(attributes.set("broker.quorum=0-2"));
  EXPECT_EQ(quorum(attributes, 4).value_or(0), 3U);
}

TEST(Attributes, DurationsAreFluxs) {
  EXPECT_EQ(milliseconds("5s"), 5000);
  EXPECT_EQ(milliseconds("0.5"), 500);
  EXPECT_EQ(milliseconds("20ms"), 20);
  EXPECT_EQ(milliseconds("2m"), 120000);
  EXPECT_EQ(milliseconds("soon"), -1);
}

}  // namespace
}  // namespace mc::stand_in
