#include "tests/flux_stand_in/attributes.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace mc::stand_in {
namespace {

constexpr std::array<std::string_view, 22> kKnown = {"broker.cleanup-timeout",
                                                     "broker.quorum",
                                                     "broker.quorum-timeout",
                                                     "broker.quorum-warn",
                                                     "broker.rc2_none",
                                                     "broker.shutdown-timeout",
                                                     "content.dump",
                                                     "content.restore",
                                                     "cron.directory",
                                                     "local-uri",
                                                     "log-stderr-level",
                                                     "log-stderr-mode",
                                                     "rundir",
                                                     "rundir-cleanup",
                                                     "statedir",
                                                     "statedir-cleanup",
                                                     "tbon.connect_timeout",
                                                     "tbon.fanout",
                                                     "tbon.interface-hint",
                                                     "tbon.tcp_user_timeout",
                                                     "tbon.topo",
                                                     "tbon.zmqdebug"};
constexpr std::size_t kMaxSocketPath = 107;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}
bool is_level(std::string_view text) {
  return is_number(text.substr(text.starts_with('-') ? 1 : 0));
}
bool is_mode(std::string_view text) { return text == "leader" || text == "local"; }
bool is_switch(std::string_view text) { return text == "0" || text == "1"; }
bool is_duration(std::string_view text) { return milliseconds(text) >= 0; }
bool is_quorum(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  return is_number(text.substr(0, dash)) &&
         (dash == text.size() || is_number(text.substr(dash + 1)));
}
bool is_topology(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view scheme = text.substr(0, colon);
  if (colon == text.size()) {
    return scheme == "binomial" || scheme == "mincrit" || scheme == "custom";
  }
  return (scheme == "kary" || scheme == "mincrit") && is_number(text.substr(colon + 1));
}

struct ValueRule {
  std::string_view name;
  bool (*fits)(std::string_view);
  std::string_view wanted;
};
constexpr ValueRule kValues[] = {{"broker.quorum", is_quorum, "a number of brokers"},
                                 {"log-stderr-level", is_level, "a number"},
                                 {"log-stderr-mode", is_mode, "leader or local"},
                                 {"tbon.connect_timeout", is_duration, "a duration"},
                                 {"tbon.fanout", is_number, "a number"},
                                 {"tbon.topo", is_topology, "a known topology scheme"},
                                 {"tbon.zmqdebug", is_switch, "0 or 1"}};

std::unexpected<Error> refused(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

// What keeps a folder from being the broker's own; "" if nothing does.
std::string not_owned(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return path + ": " + std::strerror(errno);
  if (!S_ISDIR(info.st_mode)) return path + " is not a directory";
  if (info.st_uid != geteuid()) return path + " is not owned by instance owner";
  if ((info.st_mode & S_IRWXU) != S_IRWXU) return path + " does not have owner=rwx permissions";
  return "";
}

bool is_sticky(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && (info.st_mode & S_ISVTX) != 0;
}

}  // namespace

Result<void> Attributes::set(std::string_view assignment) {
  const std::size_t equals = std::min(assignment.find('='), assignment.size());
  const std::string name(assignment.substr(0, equals));
  const std::string value(assignment.substr(std::min(equals + 1, assignment.size())));
  if (std::ranges::count(kKnown, name) == 0) return refused(name + ": unknown attribute");
  for (const ValueRule& rule : kValues) {
    if (rule.name != name || rule.fits(value)) continue;
    return refused(name + ": " + value + " is not " + std::string(rule.wanted));
  }
  values_[name] = value;
  return {};
}

std::string Attributes::get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? "" : found->second;
}

Result<std::size_t> quorum(const Attributes& attributes, std::size_t size) {
  if (!attributes.has("broker.quorum")) return size;
  const std::string text = attributes.get("broker.quorum");
  const std::size_t dash = text.find('-');  // ranks `0-1`: their count is meant
  const std::size_t wanted = dash == std::string::npos ? std::stoul(text)
                                                       : std::stoul(text.substr(dash + 1)) -
                                                             std::stoul(text.substr(0, dash)) + 1;
  if (wanted < 1 || wanted > size) {
    return refused("broker.quorum: " + text + " is out of range for a size of " +
                   std::to_string(size));
  }
  return wanted;
}

int milliseconds(std::string_view duration) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1e3}, {"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}};
  double number = 0;
  const auto [rest, error] =
      std::from_chars(duration.begin(), duration.end(), number, std::chars_format::fixed);
  if (error != std::errc() || number < 0) return -1;
  for (const auto& [unit, factor] : kUnits) {
    if (unit == std::string_view(rest, duration.end())) return static_cast<int>(number * factor);
  }
  return -1;
}

Result<OwnFolder> OwnFolder::take(std::string_view what, const std::string& path) {
  OwnFolder out;
  out.path_ = path;
  if (is_sticky(path)) {
    out.path_ += "/flux-XXXXXX";
    out.made_ = mkdtemp(out.path_.data()) != nullptr;
  } else {
    out.made_ = mkdir(path.c_str(), 0700) == 0;
  }
  if (!out.made_ && errno != EEXIST) {
    return refused(std::string(what) + " " + path + ": " + std::strerror(errno));
  }
  if (const std::string problem = not_owned(out.path_); !problem.empty()) {
    return refused(std::string(what) + " " + problem);
  }
  return out;
}

OwnFolder::OwnFolder(OwnFolder&& other) noexcept
    : path_(std::move(other.path_)), made_(std::exchange(other.made_, false)) {}

OwnFolder& OwnFolder::operator=(OwnFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(made_, other.made_);
  return *this;
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  if (made_) std::filesystem::remove_all(path_, ignored);
}

Result<std::string> socket_path(const std::string& uri) {
  constexpr std::string_view kScheme = "local://";
  if (!uri.starts_with(kScheme)) return refused("local-uri " + uri + " is not local://PATH");
  std::string path = uri.substr(kScheme.size());
  if (path.size() > kMaxSocketPath) return refused("local-uri " + uri + " is too long");
  const std::string problem = not_owned(std::filesystem::path(path).parent_path());
  if (!problem.empty()) return refused("local-uri " + problem);
  return path;
}

}  // namespace mc::stand_in
