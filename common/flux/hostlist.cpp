#include "common/flux/hostlist.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "common/base/text.h"

namespace mc::flux {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxName = 253;

std::unexpected<Error> refuse(const std::string& reason) {
  return fail(ErrorKind::Malformed, reason);
}

// Takes the text before the next comma that is not in brackets.
std::string_view take_entry(std::string_view& text) {
  bool in_brackets = false;
  std::size_t end = 0;
  for (; end < text.size() && (in_brackets || text[end] != ','); ++end) {
    if (text[end] == '[') in_brackets = true;
    if (text[end] == ']') in_brackets = false;
  }
  const std::string_view entry = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return entry;
}

struct Range {
  std::uint64_t first = 0, last = 0;
  std::size_t width = 0;  // minimum number of digits
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || stop != text.data() + text.size()) return {};
  return value;
}

Result<Range> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view low = text.substr(0, dash);
  const std::string_view high = dash == std::string_view::npos ? low : text.substr(dash + 1);
  const auto first = number(low), last = number(high);
  if (!first || !last) return refuse("brackets hold numbers and ranges only, as in [0-3,7]");
  if (*last < *first) return refuse("a range in brackets must be ascending");
  return Range{*first, *last, low.size()};
}

std::string padded(std::uint64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

// Empty if it is a valid host name.
std::string_view name_problem(std::string_view name) {
  if (name.size() > kMaxName) return "a host name is longer than 253 characters";
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    const auto is_allowed = [](unsigned char c) {
      return c < 0x80 && (std::isalnum(c) != 0 || c == '-');
    };
    if (!std::ranges::all_of(label, is_allowed)) {
      return "this host name contains a character that is not a letter, a digit, a dot or a dash";
    }
    if (label.empty()) return "a host name has an empty part";
    if (label.size() > kMaxLabel) return "a part of a host name is longer than 63 characters";
    if (label.front() == '-' || label.back() == '-') {
      return "a part of a host name begins or ends with a dash";
    }
    if (label.size() == name.size()) return {};
    name.remove_prefix(label.size() + 1);
  }
}

}  // namespace

std::string hostlist(std::string_view name, std::int64_t count, std::int64_t first) {
  if (count <= 0) return {};
  const std::string prefix = std::string(name) + '-';
  if (count == 1) return prefix + std::to_string(first);
  return prefix + '[' + std::to_string(first) + '-' + std::to_string(first + count - 1) + ']';
}

std::unexpected<Error> HostExpander::too_many() const {
  return refuse("there are more than " + std::to_string(max_) + " hosts");
}

Result<void> HostExpander::add_name(std::string name) {
  if (const std::string_view problem = name_problem(name); !problem.empty()) {
    return refuse(std::string(problem));
  }
  if (named_ == max_) return too_many();
  ++named_;
  if (seen_.insert(name).second) in_order_.push_back(std::move(name));
  return {};
}

Result<void> HostExpander::add_entry(std::string_view entry) {
  const std::size_t open = entry.find('[');
  if (open == std::string_view::npos) return add_name(std::string(entry));
  const std::size_t close = entry.find(']', open);
  if (close == std::string_view::npos) return refuse("a bracket is not closed");
  const std::string prefix(entry.substr(0, open));
  const std::string suffix(entry.substr(close + 1));
  if (suffix.contains('['))
    return refuse("a host has two pairs of brackets, but Flux expands only one");
  std::string_view ranges = entry.substr(open + 1, close - open - 1);
  for (bool more = true; more;) {
    const std::size_t comma = ranges.find(',');
    const Result<Range> range = parse_range(ranges.substr(0, comma));
    if (!range) return std::unexpected(range.error());
    if (range->last - range->first >= max_ - named_) return too_many();
    for (std::uint64_t i = 0; i <= range->last - range->first; ++i) {
      std::string name = prefix;
      name += padded(range->first + i, range->width);
      name += suffix;
      auto added = add_name(std::move(name));
      if (!added) return added;
    }
    more = comma != std::string_view::npos;
    if (more) ranges.remove_prefix(comma + 1);
  }
  return {};
}

Result<void> HostExpander::add(std::string_view text) {
  const std::size_t before = named_;
  while (!text.empty()) {
    const std::string_view entry = take_entry(text);
    if (entry.empty()) continue;
    if (auto added = add_entry(entry); !added) return added;
  }
  if (named_ == before) return refuse("it contains no host");
  return {};
}

Result<std::vector<std::string>> expand_hostlist(std::string_view text, std::size_t max) {
  HostExpander hosts(max);
  if (auto added = hosts.add(text); !added) return std::unexpected(added.error());
  return hosts.take();
}

}  // namespace mc::flux
