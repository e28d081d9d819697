#include "common/flux/broker_toml.h"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <string>
#include <vector>

#include "tests/support/must.h"

namespace mc::flux {
namespace {

using test::must;

BrokerConfig plain_cluster() {
  BrokerConfig config;
  config.curve_cert = "/mnt/flux/config/curve/curve.cert";
  config.resource_path = "/mnt/flux/config/etc/flux/system/R";
  config.connect = connect_through_service("flux-service");
  config.hosts = {{"fs-[0-3]", "", ""}};
  config.queue_policy = "fcfs";
  return config;
}

TEST(BrokerToml, OfAPlainClusterIsThisText) {
  EXPECT_EQ(broker_toml(plain_cluster()),
            "[access]\n"
            "allow-guest-user = true\n"
            "allow-root-owner = true\n"
            "\n"
            "[bootstrap]\n"
            "curve_cert = \"/mnt/flux/config/curve/curve.cert\"\n"
            "default_bind = \"tcp://*:%p\"\n"
            "default_connect = \"tcp://%h.flux-service:%p\"\n"
            "default_port = 8050\n"
            "enable_ipv6 = true\n"
            "hosts = [ { host = \"fs-[0-3]\" } ]\n"
            "\n"
            "[resource]\n"
            "path = \"/mnt/flux/config/etc/flux/system/R\"\n"
            "\n"
            "[sched-fluxion-qmanager]\n"
            "queue-policy = \"fcfs\"\n");
}

TEST(BrokerToml, LeavesOutWhatIsNotSet) {
  EXPECT_EQ(broker_toml({}),
            "[access]\n"
            "allow-guest-user = true\n"
            "allow-root-owner = true\n"
            "\n"
            "[bootstrap]\n"
            "default_bind = \"tcp://*:%p\"\n"
            "default_port = 8050\n"
            "enable_ipv6 = true\n"
            "hosts = []\n");
}

TEST(BrokerToml, HoldsAnyValueUnharmed) {
  BrokerConfig config = plain_cluster();
  const std::string ugly = "a\"b'\\c\n\t\x01\x7F#]}\xC3\xA9\xF0\x9F\x98\x80 = %p '''\"\"\"";
  config.curve_cert = config.resource_path = config.bind = config.connect = ugly;
  config.queue_policy = config.archive_path = ugly;
  config.port = 65535;
  config.enable_ipv6 = config.allow_guest_user = config.allow_root_owner = false;
  config.hosts = {
      {"lead", "tcp://*:9000", "tcp://203.0.113.7:9000"}, {"fs-[1-3]", "", ""}, {ugly, ugly, ugly}};
  const toml::table read = toml::parse(broker_toml(config));
  const auto bootstrap = read["bootstrap"];
  for (const auto* key : {"curve_cert", "default_bind", "default_connect"}) {
    EXPECT_EQ(bootstrap[key].value<std::string>(), ugly) << key;
  }
  EXPECT_EQ(bootstrap["default_port"].value<int>(), 65535);
  EXPECT_EQ(bootstrap["enable_ipv6"].value<bool>(), false);
  EXPECT_EQ(read["access"]["allow-guest-user"].value<bool>(), false);
  EXPECT_EQ(read["access"]["allow-root-owner"].value<bool>(), false);
  EXPECT_EQ(read["resource"]["path"].value<std::string>(), ugly);
  EXPECT_EQ(read["sched-fluxion-qmanager"]["queue-policy"].value<std::string>(), ugly);
  EXPECT_EQ(read["archive"]["dbpath"].value<std::string>(), ugly);
  EXPECT_EQ(read["archive"]["period"].value<std::string>(), "1m");
  EXPECT_EQ(read["archive"]["busytimeout"].value<std::string>(), "50s");
  EXPECT_EQ(bootstrap["hosts"][0]["bind"].value<std::string>(), "tcp://*:9000");
  EXPECT_EQ(bootstrap["hosts"][0]["connect"].value<std::string>(), "tcp://203.0.113.7:9000");
  EXPECT_EQ(bootstrap["hosts"][1]["host"].value<std::string>(), "fs-[1-3]");
  EXPECT_FALSE(bootstrap["hosts"][1]["bind"]);
  EXPECT_FALSE(bootstrap["hosts"][1]["connect"]);
  EXPECT_EQ(bootstrap["hosts"][2]["host"].value<std::string>(), ugly);
  EXPECT_EQ(broker_toml(config), broker_toml(config));
}

TEST(ParseBrokerToml, TakesOurOwnAndThePublicOperatorsForm) {
  BrokerConfig config = plain_cluster();
  config.hosts = {{"lead", "tcp://*:9000", "tcp://203.0.113.7:9000"}, {"fs-[1-3]", "", ""}};
  const auto own = must(parse_broker_toml(broker_toml(config)));
  EXPECT_EQ(own.hosts, config.hosts);
  EXPECT_EQ(own.problems, std::vector<std::string>{});

  const auto other = must(parse_broker_toml(
      "# written by hand\n[bootstrap]\ncurve_cert = '/curve.cert'\ndefault_port = 8050\n"
      "default_bind = \"tcp://eth0:%p\"\ndefault_connect = \"tcp://%h.s.d.svc.cluster.local:%p\"\n"
      "hosts = [\n  { host=\"fs-[0-1]\"},\n]\n[archive]\ndbpath = \"x\"\n[anything]\nelse = 1\n"
      "[[bootstrap.more]]\n"));
  EXPECT_EQ(other.hosts, (std::vector<HostEntry>{{"fs-[0-1]", "", ""}}));
  EXPECT_EQ(other.problems,
            std::vector<std::string>{
                "line 14: not a key of [bootstrap], which has hosts, curve_cert, default_port, "
                "default_bind, default_connect, enable_ipv6"});
}

TEST(ParseBrokerToml, NamesEveryLineThatABrokerWouldEndWith) {
  const auto parsed =
      must(parse_broker_toml("[bootstrap]\n"
                             "default_port = \"8050\"\n"
                             "enable_ipv6 = 1\n"
                             "default_bind = 3\n"
                             "hosts = [\n"
                             "  \"fs-0\",\n"
                             "  { host = \"fs-[3-0]\", rank = 1 },\n"
                             "  { bind = \"tcp://*:1\" },\n"
                             "  { host = 3 },\n"
                             "  { host = \"a\", connect = 4 },\n"
                             "]\n"
                             "[access]\nroot = true\n"
                             "[resource]\nnoverify = true\nR = \"x\"\n"
                             "[tbon]\nconnect_timeout = 5\nother = 1\n"
                             "[queues.debug]\nrequires = [\"debug\"]\nsize = 1\n"));
  EXPECT_EQ(
      parsed.problems,
      (std::vector<std::string>{
          "line 2: default_port must be a number from 0 to 65535, without quotes",
          "line 3: enable_ipv6 must be true or false", "line 4: default_bind must be a string",
          "line 6: an entry of hosts must be a table, as in { host = \"a-[0-3]\" }",
          "line 7: not a key of [bootstrap.hosts], which has host, bind, connect, parent",
          "line 7: the value of host is not a hostlist: a range in brackets must be ascending",
          "line 8: an entry of hosts has no host", "line 9: host must be a string",
          "line 10: connect must be a string",
          "line 13: not a key of [access], which has allow-guest-user, allow-root-owner, "
          "private-mode, roles",
          "line 16: not a key of [resource], which has path, config, scheduling, exclude, "
          "verify, noverify, norestrict, rediscover, no-update-watch, journal-max, history",
          "line 18: connect_timeout must be a string",
          "line 22: not a key of [queues], which has policy, requires, parent"}));
}

TEST(ParseBrokerToml, NamesAtMostAHundredAndOneProblems) {
  for (const std::size_t keys : {100U, 101U, 102U, 5'000U}) {
    std::string text = "[access]\n";
    for (std::size_t i = 0; i < keys; ++i) text += "k" + std::to_string(i) + " = 0\n";
    EXPECT_EQ(must(parse_broker_toml(text)).problems.size(), std::min<std::size_t>(keys, 101));
  }
}

TEST(ParseBrokerToml, NamesWhatIsMissing) {
  const auto parsed = must(parse_broker_toml(
      "[bootstrap]\ndefault_connect = \"tcp://%h:%p\"\nhosts = [{ host = \"fs-[0-1]\" }]\n"));
  EXPECT_EQ(parsed.problems, (std::vector<std::string>{
                                 "line 3: default_port is missing, but %p refers to it",
                                 "line 3: curve_cert is missing; two or more brokers need it"}));
  const auto alone = must(parse_broker_toml("[bootstrap]\nhosts = [{ host = \"fs-0\" }]\n"));
  EXPECT_TRUE(alone.problems.empty());
}

TEST(ParseBrokerToml, SaysLineAndReasonAndNeverTheText) {
  const struct {
    std::string text, message;
  } cases[] = {
      {"a = 1\nb = SECRET\n",
       "line 2, column 5: Error while parsing value: could not determine value type"},
      {"a = 1\na = \"SECRET\"",
       "line 2, column 5: Error while parsing key-value pair: cannot redefine existing integer "
       "(not shown)"},
      {"a = 'SECRET",
       "line 1, column 12: Error while parsing literal string: encountered end-of-file"},
      {"d = 2024-99-99\n",
       "line 1, column 12: Error while parsing date: expected month between 1 and 12 (inclusive)"},
      {"\n[SECRET\n", "line 2, column 8: Error while parsing table header: expected ']'"},
      {"a = \xFF", "line 1, column 4: Encountered invalid utf-8 sequence"}};
  for (const auto& c : cases) {
    const auto parsed = parse_broker_toml(c.text);
    ASSERT_FALSE(parsed) << c.text;
    EXPECT_EQ(parsed.error().message, c.message);
    EXPECT_EQ(parsed.error().kind, ErrorKind::Malformed);
  }
}

std::string key_of(std::size_t parts, const std::string& dot) {
  std::string out = "a";
  for (std::size_t i = 1; i < parts; ++i) out += dot + "a";
  return out;
}

TEST(BrokerToml, AKeyHasAtMostAHundredParts) {
  const auto why = [](const std::string& text) {
    const auto read = parse_broker_toml(text);
    return read ? "" : read.error().message;
  };
  const std::string mistake = "a key has more than 100 parts";
  EXPECT_EQ(why(key_of(100, ".") + " = 1\n"), "");
  EXPECT_EQ(why(key_of(101, ".") + " = 1\n"), "line 1: " + mistake);
  EXPECT_EQ(why("x = 1\n\n[" + key_of(101, " . ") + "]\n"), "line 3: " + mistake);
  EXPECT_EQ(why("x = {" + key_of(101, ".\"b.c\".") + " = 1}\n"), "line 1: " + mistake);
  EXPECT_EQ(why("x = [{y = 1}, {" + key_of(101, ".") + " = 1}]\n"), "line 1: " + mistake);
}

TEST(BrokerToml, DotsElsewhereAreNoPartsOfAKey) {
  const std::string dots(500, '.');
  for (const std::string& text :
       {"# " + dots + "\nx = 1 # " + dots + "\n", "x = \"" + dots + "\"\n", "x = '" + dots + "'\n",
        "x = \"\"\"\n" + dots + "\\\"\n\"\"\"\n", "x = '''\n" + dots + "'\n'''\n",
        "\"" + dots + "\" = 1\n"}) {
    const auto read = parse_broker_toml(text);
    EXPECT_TRUE(read) << text << read.error().message;
  }
}

}  // namespace
}  // namespace mc::flux
