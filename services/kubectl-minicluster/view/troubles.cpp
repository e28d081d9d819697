#include "services/kubectl-minicluster/view/troubles.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

std::string with_message(const std::string& words, const std::string& message) {
  return message.empty() ? words : words + ": " + message;
}

// `ended with code 137 (OOMKilled): message`
std::string ended(const json& end) {
  std::string words = "ended with code " + std::to_string(integer_at(end, {"exitCode"}));
  const std::string reason = text_at(end, {"reason"});
  if (!reason.empty() && reason != "Error") words += " (" + reason + ")";
  return with_message(words, std::string(trimmed(text_at(end, {"message"}))));
}

bool has_failed(const json& end) { return end.is_object() && integer_at(end, {"exitCode"}) != 0; }

void add_container(const json& status, PodTrouble& out) {
  const std::string who = "container " + text_at(status, {"name"}) + " ";
  const json& waiting = at_path(status, {"state", "waiting"});
  if (waiting.is_object()) {
    out.words.push_back(who + "waits: " +
                        with_message(text_at(waiting, {"reason"}), text_at(waiting, {"message"})));
  }
  const json& end = at_path(status, {"state", "terminated"});
  if (has_failed(end)) out.words.push_back(who + ended(end));
  const json& before = at_path(status, {"lastState", "terminated"});
  if (has_failed(before)) {
    const std::int64_t restarts = integer_at(status, {"restartCount"});
    out.words.push_back(who + "was restarted " + std::to_string(restarts) +
                        (restarts == 1 ? " time; before, it " : " times; before, it ") +
                        ended(before));
  }
}

PodTrouble trouble_of(const json& pod) {
  PodTrouble out{.pod = text_at(pod, {"metadata", "name"}), .words = {}};
  const std::string reason = text_at(pod, {"status", "reason"});
  if (!reason.empty())
    out.words.push_back(with_message(reason, text_at(pod, {"status", "message"})));
  for (const char* const list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json& status : items_at(pod, {"status", list})) add_container(status, out);
  }
  return out;
}

// Failed pods first, then the others by rank; the services pod last.
auto order_of(const json& pod) {
  const auto rank = rank_of(pod);
  return std::tuple(text_at(pod, {"status", "phase"}) != "Failed", !rank, rank.value_or(0),
                    text_at(pod, {"metadata", "name"}));
}

// Whether a name is that of a pod of this Job: NAME-INDEX-xxxxx.
bool is_pod_name(std::string_view name, const std::string& job) {
  if (!name.starts_with(job + "-")) return false;
  const std::string_view rest = name.substr(job.size() + 1);
  const std::size_t dash = rest.find('-');
  return dash != rest.npos && parse_integer(rest.substr(0, dash)) && rest.size() == dash + 6;
}

bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.'; }

// The size of the kubelet's `_NAMESPACE(UID)` at the beginning of a text; 0 if it is not there.
std::size_t size_of_uid(std::string_view text) {
  if (!text.starts_with('_')) return 0;
  const std::size_t open = text.find('('), close = text.find(')');
  const bool is_uid = open != text.npos && close != text.npos && open < close &&
                      std::ranges::all_of(text.substr(1, open - 1), is_of_name) &&
                      std::ranges::all_of(text.substr(open + 1, close - open - 1), is_of_name);
  return is_uid ? close + 1 : 0;
}

bool is_about(const json& event, const json& minicluster, const std::set<std::string>& uids) {
  const json& object = at_path(event, {"involvedObject"});
  if (uids.contains(text_at(object, {"uid"}))) return true;
  const std::string kind = text_at(object, {"kind"}), name = text_at(object, {"name"});
  const std::string owner = text_at(minicluster, {"metadata", "name"});
  const bool fits = (kind == "Job" && name == owner) || (kind == "Pod" && is_pod_name(name, owner));
  // Not of an earlier MiniCluster of that name.
  const auto created = parse_rfc3339(text_at(minicluster, {"metadata", "creationTimestamp"}));
  return fits && created && time_of(event) >= *created;
}

// Warnings that say the same.
struct Same {
  Warning last;
  std::set<std::string> objects;
  std::size_t times = 0;
};

Warning warning_of(const json& event) {
  return {.time = time_of(event),
          .object = text_at(event, {"involvedObject", "kind"}) + "/" +
                    text_at(event, {"involvedObject", "name"}),
          .reason = text_at(event, {"reason"}),
          .message = text_at(event, {"message"})};
}

}  // namespace

Time time_of(const json& event) {
  for (const auto path : {std::initializer_list<std::string_view>{"series", "lastObservedTime"},
                          {"lastTimestamp"},
                          {"eventTime"},
                          {"metadata", "creationTimestamp"}}) {
    if (const auto time = parse_rfc3339(text_at(event, path))) return *time;
  }
  return {};
}

std::vector<PodTrouble> troubles_of(const std::vector<json>& pods) {
  std::vector<const json*> sorted;
  sorted.reserve(pods.size());
  for (const json& pod : pods) sorted.push_back(&pod);
  std::ranges::sort(sorted, {}, [](const json* pod) { return order_of(*pod); });
  std::vector<PodTrouble> out;
  for (const json* const pod : sorted) {
    PodTrouble trouble = trouble_of(*pod);
    if (trouble.words.empty()) continue;
    const auto same = std::ranges::find(out, trouble.words, &PodTrouble::words);
    if (same == out.end()) {
      out.push_back(std::move(trouble));
    } else {
      ++same->others;
    }
  }
  return out;
}

std::string without_pod_names(std::string_view message, const std::string& job) {
  std::string out;
  while (!message.empty()) {
    const auto end = std::ranges::find_if_not(message, is_of_name);
    const auto size = static_cast<std::size_t>(end - message.begin());
    const std::string_view word = message.substr(0, size);
    message.remove_prefix(size);
    if (is_pod_name(word, job)) {
      out += job + "-...";
      message.remove_prefix(size_of_uid(message));
    } else {
      out += word;
    }
    if (message.empty()) break;
    out += message.front();
    message.remove_prefix(1);
  }
  return out;
}

std::vector<Warning> warnings_of(const std::vector<json>& events, const json& minicluster,
                                 const std::vector<json>& pods) {
  std::set<std::string> uids = {text_at(minicluster, {"metadata", "uid"})};
  for (const json& pod : pods) uids.insert(text_at(pod, {"metadata", "uid"}));
  uids.erase("");
  const std::string job = text_at(minicluster, {"metadata", "name"});
  std::map<std::tuple<std::string, std::string, std::string>, Same> by_words;
  for (const json& event : events) {
    if (text_at(event, {"type"}) != "Warning" || !is_about(event, minicluster, uids)) continue;
    Warning one = warning_of(event);
    Same& same = by_words[{text_at(event, {"involvedObject", "kind"}), one.reason,
                           without_pod_names(one.message, job)}];
    same.objects.insert(one.object);
    ++same.times;
    if (same.last.object.empty() || same.last.time < one.time) same.last = std::move(one);
  }
  std::vector<Warning> out;
  for (auto& [words, same] : by_words) {
    same.last.others = same.objects.size() - 1;
    same.last.times = same.times;
    out.push_back(std::move(same.last));
  }
  std::ranges::stable_sort(out, {}, &Warning::time);
  return out;
}

}  // namespace mc::kubectl
