#include <cstdlib>
#include <iostream>

#include "common/base/yaml.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << std::endl;
  std::abort();
}

json read_object(std::string_view input) {
  bool deep = false;
  const auto shallow = [&deep](int depth, json::parse_event_t, json&) {
    deep = deep || depth > kMaxJsonLevels;
    return !deep;
  };
  json value = json::parse(input, shallow, false);
  if (deep) return json::value_t::discarded;
  if (!value.is_discarded()) return value;
  auto documents = parse_yaml(input);
  if (!documents || documents->size() != 1) return json::value_t::discarded;
  return std::move(documents->front());
}

}  // namespace mc::fuzz
