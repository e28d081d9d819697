#include "services/kubectl-minicluster/view/logs.h"

#include <array>

#include "common/api/model/names.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/pods.h"

namespace mc::kubectl {
namespace {

constexpr std::array kColours = {"36", "33", "32", "35", "34", "96", "93", "92", "95", "94"};

bool can_be_read(const json& status, Runs runs) {
  return runs == Runs::Latest ? has_started(status)
                              : at_path(status, {"lastState"}).contains("terminated");
}

}  // namespace

std::vector<RankLog> logs_to_read(const json& minicluster, const std::vector<json>& pods,
                                  Runs runs) {
  const std::string container = flux_container(minicluster);
  std::vector<RankLog> out;
  for (const auto& [rank, pod] : pods_by_rank(pods)) {
    const json& status = container_status(*pod, container);
    if (!can_be_read(status, runs)) continue;
    out.push_back({.rank = rank,
                   .target = {text_at(*pod, {"metadata", "name"}), container},
                   .run = text_at(*pod, {"metadata", "uid"}) + "/" +
                          std::to_string(integer_at(status, {"restartCount"}))});
  }
  return out;
}

std::string rank_prefix(std::int64_t rank, std::int64_t ranks, bool colours) {
  const std::string number = std::to_string(rank), highest = std::to_string(ranks - 1);
  const std::size_t missing = highest.size() > number.size() ? highest.size() - number.size() : 0;
  const std::string text = "[rank " + std::string(missing, ' ') + number + "]";
  if (!colours) return text + " ";
  const std::string colour = kColours.at(static_cast<std::size_t>(rank) % kColours.size());
  return "\033[" + colour + "m" + text + "\033[0m ";
}

std::string LogLines::take(std::string_view bytes) {
  std::string out;
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    rest_.append(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    add(std::exchange(rest_, {}), out);
  }
  rest_.append(bytes);
  if (rest_.size() >= kLongest) add(std::exchange(rest_, {}), out);
  return out;
}

std::string LogLines::end() {
  std::string out;
  if (!rest_.empty()) add(std::exchange(rest_, {}), out);
  return out;
}

void LogLines::add(std::string line, std::string& out) const {
  // The containers have a terminal, which ends lines with both.
  if (line.ends_with('\r')) line.pop_back();
  const std::string_view text = api::without_stderr_label(line);
  out.append(prefix_).append(terminal_ ? one_line(std::string(text)) : text) += '\n';
}

}  // namespace mc::kubectl
