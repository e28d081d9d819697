#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "common/http/exchange.h"
#include "common/http/framing.h"

namespace mc::http {

// The answers of a connection that receives these bytes, without a socket: one for each complete
// request, until one closes the connection.
inline std::string answers_to(const Exchange& exchange, std::string_view bytes,
                              std::size_t max_body) {
  std::string answers;
  while (!bytes.empty()) {
    const auto end = end_of_head(bytes);
    if (!end || *end > kMostHeadBytes) {
      const auto refusal = not_a_head(bytes);
      return refusal ? answers + bytes_of(*refusal) : answers;
    }
    const std::string head(bytes.substr(0, *end));
    const Framing framing = framing_of(head, max_body);
    bytes.remove_prefix(*end);
    if (framing.refusal) {
      answers += bytes_of(*framing.refusal);
      if (framing.refusal->close) break;
    } else if (bytes.size() < framing.body) {
      break;
    } else {
      auto [answer, close] = exchange.answer(head, std::string(bytes.substr(0, framing.body)), {});
      answers += answer;
      if (close) break;
    }
    bytes.remove_prefix(std::min(bytes.size(), framing.body));
  }
  return answers;
}

}  // namespace mc::http
