#include "services/controller/cluster/log_tail.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/api/model/names.h"
#include "common/base/text.h"

namespace mc::controller {
namespace {

// The kubelet cuts a longer text to this size at its beginning, anywhere in a line
// (MaxContainerTerminationMessageLogLength).
constexpr std::size_t kKubeletsMost = 2048;

constexpr std::string_view kOurs = "minicluster: ";
constexpr std::string_view kOurErrors = "minicluster: error: ";
// flux-job(1) attach prints this line with the code of a failed job.
constexpr std::string_view kFluxOfTheCode = "flux-job: task(s) ";
constexpr std::string_view kEndedWith = " ended with code ";

constexpr std::array<std::string_view, 6> kSteps = {"the command", "init",      "pre",
                                                    "brokerPre",   "workerPre", "post"};

std::optional<StepEnd> step_of(std::string_view line) {
  if (!line.starts_with(kOurErrors)) return std::nullopt;
  line.remove_prefix(kOurErrors.size());
  const std::size_t at = line.find(kEndedWith);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view step = line.substr(0, at);
  const auto code = parse_integer(line.substr(at + kEndedWith.size()));
  if (!code || std::ranges::find(kSteps, step) == kSteps.end()) return std::nullopt;
  return StepEnd{std::string(step), *code};
}

// Our last line may stand behind what the command has printed without an end of line.
std::size_t start_of_our_end(std::string_view line) {
  const std::size_t at = line.rfind(kOurErrors);
  return at != std::string_view::npos && step_of(line.substr(at)) ? at : 0;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (line.ends_with('\r')) line.remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = api::without_stderr_label(line);
    const std::size_t ours = text.empty() ? start_of_our_end(line) : 0;
    if (ours > 0) out.push_back(line.substr(0, ours));
    out.push_back(line.substr(ours));
  }
  return out;
}

// True for a line that begins with a level of syslog(3), `<6>`.
bool has_level(std::string_view line) {
  if (!line.starts_with('<')) return false;
  const std::size_t end = line.find_first_not_of("0123456789", 1);
  return end != std::string_view::npos && end > 1 && line[end] == '>';
}

// The line without a leading `Nov 22 08:59:23.123456 `, with or without `UTC 2026 `, or
// `2026-11-22T08:59:23.123456Z `.
std::string_view without_time(std::string_view line) {
  std::string_view rest = line;
  const bool is_syslog = rest.size() > 7 && std::ranges::all_of(rest.substr(0, 3), is_letter) &&
                         rest[3] == ' ' && is_digit(rest[5]) && rest[6] == ' ';
  if (is_syslog) rest.remove_prefix(7);
  const std::size_t end = rest.find(' ');
  if (end == std::string_view::npos || rest.empty() || !is_digit(rest[0])) return line;
  const bool is_time = std::ranges::all_of(rest.substr(0, end), [](char c) {
    return is_digit(c) || std::string_view(":.-+TZ").contains(c);
  });
  if (!is_time || !rest.substr(0, end).contains(':')) return line;
  rest.remove_prefix(end + 1);
  const bool has_year = rest.starts_with("UTC ") && rest.size() > 9 &&
                        std::ranges::all_of(rest.substr(4, 4), is_digit) && rest[8] == ' ';
  return has_year ? rest.substr(9) : rest;
}

// True for a line that begins with module, level and rank, as Flux logs it: `broker.info[0]: `.
bool has_module(std::string_view line) {
  static constexpr std::array<std::string_view, 8> kLevels = {"emerg",   "alert",  "crit", "err",
                                                              "warning", "notice", "info", "debug"};
  const std::size_t end = line.find("]: ");
  if (end == std::string_view::npos) return false;
  line = line.substr(0, end);
  const std::size_t bracket = line.rfind('['), dot = line.rfind('.');
  if (bracket == std::string_view::npos || dot == std::string_view::npos || dot > bracket) {
    return false;
  }
  return dot > 0 && !line.substr(0, dot).contains(' ') && parse_integer(line.substr(bracket + 1)) &&
         std::ranges::find(kLevels, line.substr(dot + 1, bracket - dot - 1)) != kLevels.end();
}

// True for a line that is not the command's, or that the message has elsewhere already.
bool is_noise(std::string_view line) {
  if (line.starts_with(kOurs)) return !line.starts_with(kOurErrors) || step_of(line).has_value();
  return line.starts_with(kFluxOfTheCode) || has_level(line) || has_module(without_time(line));
}

// The end of the text, from the beginning of a line if possible, else of a character.
std::string_view end_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::size_t cut = text.size() - most;
  if (text[cut - 1] == '\n') return text.substr(cut);
  const std::size_t line = text.find('\n', cut);
  if (line != std::string_view::npos && line + 1 < text.size()) return text.substr(line + 1);
  std::string_view end = text.substr(cut);
  // A byte 10xxxxxx continues the character before it (UTF-8).
  while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0) == 0x80) {
    end.remove_prefix(1);
  }
  return end;
}

}  // namespace

std::string last_words(std::string_view tail, std::size_t most) {
  std::vector<std::string_view> lines = lines_of(tail);
  if (tail.size() >= kKubeletsMost && lines.size() > 1) lines.erase(lines.begin());
  std::vector<std::string> kept;
  for (const std::string_view line : lines) {
    if (!is_noise(line)) kept.emplace_back(line);
  }
  const std::string text = joined(kept, "\n");
  return std::string(trimmed(end_of(trimmed(text, "\r\n"), most), "\r\n"));
}

std::optional<StepEnd> step_end(std::string_view tail) {
  std::optional<StepEnd> last;
  for (const std::string_view line : lines_of(tail)) {
    if (auto found = step_of(line)) last = std::move(found);
  }
  return last;
}

std::optional<std::int64_t> reported_exit_code(std::string_view message) {
  static constexpr std::string_view kBefore = "the command ended with code ";
  message = trimmed(message);
  if (!message.starts_with(kBefore)) return std::nullopt;
  return parse_integer(message.substr(kBefore.size()));
}

std::string reported_outlived(std::string_view message) {
  static constexpr std::string_view kSignal = "ended by a signal; ",
                                    kJobs = "jobs that still ran after ";
  message = trimmed(message);
  if (!message.starts_with(kSignal)) return "";
  message.remove_prefix(kSignal.size());
  if (!message.starts_with(kJobs)) return "";
  return std::string(message.substr(0, message.find_first_of("\r\n")));
}

std::optional<Singletons> reported_singletons(std::string_view message) {
  static constexpr std::string_view kTasks = "minicluster singletons=", kLibrary = " library=lib";
  message = trimmed(message);
  if (!message.starts_with(kTasks)) return std::nullopt;
  message.remove_prefix(kTasks.size());
  const std::size_t at = message.find(kLibrary);
  if (at == std::string_view::npos) return std::nullopt;
  const auto tasks = parse_integer(message.substr(0, at));
  const std::string_view library = message.substr(at + kLibrary.size() - 3);
  constexpr std::size_t kMostName = 64;
  const bool is_name = library.size() <= kMostName && std::ranges::all_of(library, [](char c) {
                         return is_letter(c) || is_digit(c) || c == '.';
                       });
  if (!tasks || *tasks < 2 || !is_name) return std::nullopt;
  return Singletons{*tasks, std::string(library)};
}

}  // namespace mc::controller
