#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/result.h"

// RFC 29 hostlists, as Flux takes them in broker.toml: `fs-[0-3,7]`, `a,b`, `n[08-11].example`.
namespace mc::flux {

// The hosts `<name>-<first>` ... of an Indexed Job: `fs-[0-3]`, one is `fs-0`, none is "".
std::string hostlist(std::string_view name, std::int64_t count, std::int64_t first = 0);

// The hosts of one or more lists. The work is bounded by their bytes and by `max`.
class HostExpander {
 public:
  explicit HostExpander(std::size_t max) : max_(max) {}

  // Every host in order. Spaces around commas and empty entries are passed over, as Flux does it; a
  // host named twice counts once. An error where Flux would not take the list or would misread it:
  // no host at all, two brackets in one name, a range that falls, spaces or anything else but
  // ranges in brackets, a name that is no host name (RFC 1123), more than `max` hosts of all lists,
  // each counted as often as it is named. The text is not shown.
  [[nodiscard]] Result<void> add(std::string_view text);

  // The hosts so far, each once.
  std::vector<std::string> take() { return std::move(in_order_); }

 private:
  Result<void> add_entry(std::string_view entry);
  Result<void> add_name(std::string name);
  std::unexpected<Error> too_many() const;

  std::size_t max_;
  std::size_t named_ = 0;
  std::vector<std::string> in_order_;
  std::unordered_set<std::string> seen_;
};

// The hosts of one list.
[[nodiscard]] Result<std::vector<std::string>> expand_hostlist(std::string_view text,
                                                               std::size_t max);

}  // namespace mc::flux
