#include "common/flux/hostlist.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace mc::flux {
namespace {

using Hosts = std::vector<std::string>;

TEST(Hostlist, IsARangeOfIndices) {
  EXPECT_EQ(hostlist("fs", 4), "fs-[0-3]");
  EXPECT_EQ(hostlist("fs", 1), "fs-0");
  EXPECT_EQ(hostlist("fs", 0), "");
  EXPECT_EQ(hostlist("fs", 3, 1), "fs-[1-3]");
  EXPECT_EQ(hostlist("fs", 1, 7), "fs-7");
  EXPECT_EQ(hostlist("my-cluster", 100000), "my-cluster-[0-99999]");
}

TEST(ExpandHostlist, TakesWhatFluxTakes) {
  const struct {
    std::string_view text;
    Hosts hosts;
  } cases[] = {
      {"fs-[0-3]", {"fs-0", "fs-1", "fs-2", "fs-3"}},
      {"fs-[0,2-3]", {"fs-0", "fs-2", "fs-3"}},
      {"fs-[00-03]", {"fs-00", "fs-01", "fs-02", "fs-03"}},
      {"fs-[08-11]", {"fs-08", "fs-09", "fs-10", "fs-11"}},
      {"fs-[9-10]", {"fs-9", "fs-10"}},
      {"fs-[0]", {"fs-0"}},
      {"fs-0", {"fs-0"}},
      {"a,b,c", {"a", "b", "c"}},
      {"a[0-1],b[0-1]", {"a0", "a1", "b0", "b1"}},
      {" a , b[0,1] ,c\n", {"a", "b0", "b1", "c"}},
      {"a,,b,", {"a", "b"}},
      {"10.0.0.[1-2]", {"10.0.0.1", "10.0.0.2"}},
      {"Node-[0-1]", {"Node-0", "Node-1"}},
      {"fs-[0-1].svc.ns", {"fs-0.svc.ns", "fs-1.svc.ns"}},
      {"b,a,b,a[0-1],a0", {"b", "a", "a0", "a1"}},
  };
  for (const auto& c : cases) {
    const auto hosts = expand_hostlist(c.text, 10);
    ASSERT_TRUE(hosts) << c.text << ": " << hosts.error().message;
    EXPECT_EQ(*hosts, c.hosts) << c.text;
  }
}

TEST(ExpandHostlist, RefusesWhatFluxRefusesOrMisreads) {
  const std::string bad_character =
      "this host name contains a character that is not a letter, a digit, a dot or a dash";
  const std::string bad_range = "brackets hold numbers and ranges only, as in [0-3,7]";
  const std::string dash = "a part of a host name begins or ends with a dash";
  const struct {
    std::string text, reason;
  } cases[] = {
      {"", "it contains no host"},
      {" , ", "it contains no host"},
      {"fs-[3-0]", "a range in brackets must be ascending"},
      {"fs-[]", bad_range},
      {"fs-[0 - 1]", bad_range},
      {"fs-[0, 1]", bad_range},
      {"fs-[0-]", bad_range},
      {"fs-[-1]", bad_range},
      {"fs-[a-b]", bad_range},
      {"fs-[0-1-2]", bad_range},
      {"fs-[0-99999999999999999999]", bad_range},
      {"fs-[0-1", "a bracket is not closed"},
      {"fs-0-1]", bad_character},
      {"fs-[0-1]-a-[0-1]", "a host has two pairs of brackets, but Flux expands only one"},
      {"f_s-0", bad_character},
      {"fs-{0-1}", bad_character},
      {"a b", bad_character},
      {"caf\xC3\xA9", bad_character},
      {"-a", dash},
      {"a-", dash},
      {"a-.b", dash},
      {"a..b", "a host name has an empty part"},
      {"a.", "a host name has an empty part"},
      {std::string(64, 'a'), "a part of a host name is longer than 63 characters"},
      {"fs-[0-10]", "there are more than 10 hosts"},
      {"fs-[0-18446744073709551615]", "there are more than 10 hosts"},
      {"a[0-5],b[0-5]", "there are more than 10 hosts"},
      {"a[0-5],a[0-5]", "there are more than 10 hosts"},
      {"a[0-5,0-5]", "there are more than 10 hosts"},
  };
  for (const auto& c : cases) {
    const auto hosts = expand_hostlist(c.text, 10);
    ASSERT_FALSE(hosts) << c.text;
    EXPECT_EQ(hosts.error().message, c.reason) << c.text;
    EXPECT_EQ(hosts.error().kind, ErrorKind::Malformed);
  }
  EXPECT_EQ(expand_hostlist(std::string(63, 'a'), 1)->size(), 1U);
}

TEST(HostExpander, CountsTheHostsOfAllItsLists) {
  HostExpander hosts(3);
  EXPECT_TRUE(hosts.add("a[0-1]"));
  EXPECT_EQ(hosts.add("a[0-1]").error().message, "there are more than 3 hosts");
  EXPECT_EQ(hosts.add(",").error().message, "it contains no host");
  EXPECT_TRUE(hosts.add("a1"));
  EXPECT_EQ(hosts.take(), (std::vector<std::string>{"a0", "a1"}));
}

TEST(ExpandHostlist, GivesBackWhatHostlistWrote) {
  for (const std::int64_t count : {1, 2, 10, 1000}) {
    const auto hosts = expand_hostlist(hostlist("fs", count), 1000);
    ASSERT_TRUE(hosts);
    ASSERT_EQ(hosts->size(), static_cast<std::size_t>(count));
    EXPECT_EQ(hosts->back(), "fs-" + std::to_string(count - 1));
  }
}

}  // namespace
}  // namespace mc::flux
