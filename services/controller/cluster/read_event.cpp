#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/text.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

constexpr std::size_t kMostMessage = 1024;

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; }

// The base of a name that the Job controller gives to a pod of an Indexed Job, "sample" of
// `sample-0-x7k2p`; empty for any other name.
std::string_view base_of(std::string_view pod) {
  constexpr std::size_t kRandom = 5;
  const std::size_t random = pod.rfind('-');
  if (random == std::string_view::npos || random == 0 || pod.size() - random - 1 != kRandom) {
    return "";
  }
  const std::size_t index = pod.rfind('-', random - 1);
  if (index == std::string_view::npos || index + 1 == random) return "";
  const bool is_number = std::ranges::all_of(pod.substr(index + 1, random - index - 1), is_digit);
  return is_number ? pod.substr(0, index) : "";
}

// The Job controller cuts a long Job name so that the pod's name fits into a label.
bool is_of_job(std::string_view pod, std::string_view job) {
  const std::string_view base = base_of(pod);
  return !base.empty() && (base == job || (pod.size() == 63 && job.starts_with(base)));
}

// The text with every pod name of that Job as `job-*`.
std::string without_pod_names(std::string_view text, const std::string& job) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, is_name_char) - text.begin();
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end));
    out += is_of_job(word, job) ? job + "-*" : std::string(word);
    text.remove_prefix(word.size());
    if (text.empty()) break;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

// The text without the prefix that client-go gives to the last of many similar events.
std::string without_combined(const std::string& text) {
  static constexpr std::string_view kCombined = "(combined from similar events): ";
  return text.starts_with(kCombined) ? text.substr(kCombined.size()) : text;
}

// Of the last occurrence.
std::optional<Time> time_of(const json& event) {
  if (const auto time = read_time(event, {"series", "lastObservedTime"})) return time;
  if (const auto time = read_time(event, {"lastTimestamp"})) return time;
  return read_time(event, {"eventTime"});
}

Event read_event(const json& event, const char* kind, const std::string& message) {
  const json& about = at_path(event, {"involvedObject"});
  Event out{.metadata = read_metadata(event),
            .message = std::string(cut_utf8(message, kMostMessage)),
            .time = time_of(event)};
  out.metadata.owner = {kind, text_at(about, {"name"}), text_at(about, {"uid"})};
  return out;
}

}  // namespace

Event read_refusal(const json& event) {
  return read_event(event, "Job",
                    without_pod_names(without_combined(text_at(event, {"message"})),
                                      text_at(event, {"involvedObject", "name"})));
}

Event read_mount_failure(const json& event) {
  const bool may_be_ours = !base_of(text_at(event, {"involvedObject", "name"})).empty();
  return read_event(event, "Pod", may_be_ours ? without_combined(text_at(event, {"message"})) : "");
}

}  // namespace mc::controller
