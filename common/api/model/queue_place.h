#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// The place in a FluxSetup's queue, as the message of QuotaReserved begins. Written by the
// controller, read by `kubectl minicluster get`.
namespace mc::api {

struct QueuePlace {
  std::size_t number = 0;
  // False: `number` others wait before it, or more.
  bool exact = true;

  bool operator==(const QueuePlace&) const = default;
};

// "Place 3 in the queue." or "At least 10 MiniClusters wait before it."
std::string place_sentence(const QueuePlace& place);

// The place in a message that begins with such a sentence.
std::optional<QueuePlace> place_in(std::string_view message);

}  // namespace mc::api
