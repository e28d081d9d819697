#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

// RFC 29 hostlists, as Flux takes them in broker.toml: `fs-[0-3,7]`, `a,b`, `n[08-11].example`.
namespace mc::flux {

// The hosts `<name>-<first>` ... of an Indexed Job: `fs-[0-3]`, one is `fs-0`, none is "".
std::string hostlist(std::string_view name, std::int64_t count, std::int64_t first = 0);

// Every host in order. Spaces around commas and empty entries are passed over, as Flux does it; a
// host named twice counts once. An error where Flux would not take the list or would misread it:
// no host at all, two brackets in one name, a range that falls, spaces or anything else but ranges
// in brackets, a name that is no host name (RFC 1123), more than `max` hosts. The text is not
// shown.
[[nodiscard]] Result<std::vector<std::string>> expand_hostlist(std::string_view text,
                                                               std::size_t max);

}  // namespace mc::flux
