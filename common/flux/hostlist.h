#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/result.h"

// RFC 29 hostlists, as Flux accepts them in broker.toml: `fs-[0-3,7]`, `a,b`, `n[08-11].example`.
namespace mc::flux {

// No cluster is larger: the limit of a Job's parallelism (kubernetes/enhancements, KEP-3850).
inline constexpr std::size_t kMaxHosts = 100'000;

// `count` hosts of an Indexed Job, from `<name>-<first>` on: `fs-[0-3]`; one host is `fs-0`, none
// is "".
std::string hostlist(std::string_view name, std::int64_t count, std::int64_t first = 0);

// Expands one or more lists. The work is bounded by their size and by `max`.
class HostExpander {
 public:
  explicit HostExpander(std::size_t max) : max_(max) {}

  // Adds every host in order. As in Flux, spaces around commas and empty entries are ignored; a
  // repeated host is added once. Fails if Flux would refuse or misread the list: no host at all,
  // two brackets in one name, a descending range, spaces or anything except ranges in brackets, an
  // invalid host name (RFC 1123), or more than `max` hosts in all lists, repeated ones included.
  // Errors never quote the text.
  [[nodiscard]] Result<void> add(std::string_view text);

  // The hosts so far, without duplicates.
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
