#include "tests/flux_stand_in/attributes.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <regex>
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

struct ValueRule {
  std::string_view name;
  const char* pattern;
  std::string_view wanted;
};

constexpr const char* kDuration = R"((\d+\.?\d*|\.\d+)(ms|s|m|h|d)?)";
constexpr const char* kNumber = R"(\d+)";
constexpr ValueRule kValues[] = {
    {"broker.quorum", R"(\d+(-\d+)?)", "a number of brokers"},
    {"log-stderr-level", R"(-?\d+)", "a number"},
    {"log-stderr-mode", "leader|local", "leader or local"},
    {"tbon.connect_timeout", kDuration, "a duration"},
    {"tbon.fanout", kNumber, "a number"},
    {"tbon.topo", R"(kary:\d+|binomial|mincrit(:\d+)?|custom)", "a known topology scheme"},
    {"tbon.zmqdebug", "[01]", "0 or 1"}};

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
    if (rule.name != name || std::regex_match(value, std::regex(rule.pattern))) continue;
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
  const std::string text(duration);
  std::smatch part;
  if (!std::regex_match(text, part, std::regex(kDuration))) return -1;
  const std::string unit = part[2];
  const double factor = unit == "ms"  ? 1
                        : unit == "m" ? 60e3
                        : unit == "h" ? 3600e3
                        : unit == "d" ? 86400e3
                                      : 1e3;
  return static_cast<int>(std::stod(part[1]) * factor);
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
