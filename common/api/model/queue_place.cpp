#include "common/api/model/queue_place.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace mc::api {
namespace {

struct Words {
  bool exact;
  std::string_view before, after;
};

constexpr std::array kWords = {Words{true, "Place ", " in the queue."},
                               Words{false, "At least ", " MiniClusters wait before it."}};

}  // namespace

std::string place_sentence(const QueuePlace& place) {
  const Words& words = *std::ranges::find(kWords, place.exact, &Words::exact);
  return std::string(words.before) + std::to_string(place.number) + std::string(words.after);
}

std::optional<QueuePlace> place_in(std::string_view message) {
  for (const Words& words : kWords) {
    if (!message.starts_with(words.before)) continue;
    const std::string_view rest = message.substr(words.before.size());
    const std::size_t end = rest.find(words.after);
    if (end == rest.npos) continue;
    const auto number = parse_integer(rest.substr(0, end));
    if (number && *number >= 0) return QueuePlace{static_cast<std::size_t>(*number), words.exact};
  }
  return std::nullopt;
}

}  // namespace mc::api
