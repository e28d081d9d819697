#include "common/flux/hostlist.h"

#include <set>

#include "common/base/text.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {

void hostlist(std::string_view input) {
  constexpr std::size_t kMost = 2000;
  const auto hosts = flux::expand_hostlist(input, kMost);
  if (!hosts) {
    require(hosts.error().message.size() < 200, "what is wrong is said shortly");
    return;
  }
  require(!hosts->empty() && hosts->size() <= kMost, "hosts are within the bound");
  require(std::set(hosts->begin(), hosts->end()).size() == hosts->size(), "each host is told once");
  const auto again = flux::expand_hostlist(joined(*hosts, ","), kMost);
  require(again && *again == *hosts, "the hosts are a hostlist of themselves");
}

}  // namespace mc::fuzz
