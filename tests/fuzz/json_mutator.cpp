#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/names.h"
#include "common/api/schema/schema.h"
#include "tests/fuzz/targets.h"

// A libFuzzer mutator for MiniClusters, alone, in a list or in an AdmissionReview: random changes
// of bytes would almost never yield one. Sometimes it changes bytes nevertheless.

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace mc::fuzz {
namespace {

using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }

// Every object, list and value in `value`, starting with itself.
void collect(json& value, std::vector<json*>& out) {
  out.push_back(&value);
  if (!value.is_structured()) return;
  for (json& member : value) collect(member, out);
}

json& any_of(json& value, Random& random) {
  std::vector<json*> all;
  collect(value, all);
  return *all[below(random, all.size())];
}

// The enum values of the CRD, so that some specs are accepted.
void collect_enums(const json& schema, std::vector<json>& out) {
  if (!schema.is_structured()) return;
  if (schema.is_object() && schema.contains("enum") && schema["enum"].is_array()) {
    out.insert(out.end(), schema["enum"].begin(), schema["enum"].end());
  }
  for (const json& member : schema) collect_enums(member, out);
}

const std::vector<json>& values() {
  static const std::vector<json> kAll = [] {
    auto all = json::parse(R"json([
      null, true, false, 0, 1, 2, 16, -1, 65535, 65536, 100000, 4294967296, 9223372036854775807, 1.5,
      1e300, [], {}, "", "a", "data", "my-data", "/data", "/", "..", "/../x", "-", "a.b", "A", "5s",
      "1.5m", "inf", "500m", "1Gi", "-1", "1e400", "1E18", "kary:2", "ubuntu:noble", "x@sha256:0",
      "a-[0-3]", "a-[0-99999],b", "[[", "tcp://a:1", "$(date)", "$$", "`id`", "'", "\"", "\\", "\n",
      "a\nb", "${x", "#", "{{", "%h", "-c", "flux submit", "echo a && b", "Always", "\u00e4\u20ac",
      "\u0001\u007f", "# The CURVE", "[bootstrap]\ncurve_cert = \"x\"\n", "example.com/a", "Exists",
      "NoSchedule"])json")
                   .get<std::vector<json>>();
    for (const std::size_t size : {64U, 254U, 5000U}) all.emplace_back(std::string(size, 'a'));
    for (const std::string_view kind : api::kApiKinds) collect_enums(api::schema(kind), all);
    return all;
  }();
  return kAll;
}

// The names on the path of a property.
std::vector<std::string> names_on(const std::string& path) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find_first_of(".[{", at), path.size());
    if (end > at) out.push_back(path.substr(at, end - at));
    const bool group = end < path.size() && path[end] != '.';
    if (group) out.push_back(path.substr(end, 2));
    at = end + (group ? 2 : 1);
  }
  return out;
}

// The properties of the API, each as the names on its path.
const std::vector<std::vector<std::string>>& ways() {
  static const std::vector<std::vector<std::string>> kAll = [] {
    std::vector<std::vector<std::string>> all;
    for (const std::string_view kind : api::kApiKinds) {
      for (const std::string& path : api::property_paths(kind)) all.push_back(names_on(path));
    }
    return all;
  }();
  return kAll;
}

// Sets a property of the API, creating the objects on its path.
void set_property(json& object, Random& random, json value) {
  json* here = &object;
  for (const std::string& name : ways()[below(random, ways().size())]) {
    if (name == "[]") {
      if (!here->is_array()) *here = json::array();
      const std::size_t index = below(random, std::min<std::size_t>(here->size() + 1, 4));
      here = &(*here)[index];
    } else {
      if (!here->is_object()) *here = json::object();
      here = &(*here)[name == "{}" ? "data" : name];
    }
  }
  *here = std::move(value);
}

void change_text(json& value, Random& random) {
  if (!value.is_string()) {
    value = values()[below(random, values().size())];
    return;
  }
  auto text = value.get<std::string>();
  const std::size_t size = text.size();
  text.resize(size + 64);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  value = text;
}

void remove_some(json& value, Random& random) {
  if (value.is_structured() && !value.empty()) {
    value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(below(random, value.size()))));
  }
}

void add_some(json& value, Random& random) {
  if (value.is_array()) {
    json copy = value.empty() ? values()[below(random, values().size())]
                              : value[below(random, value.size())];
    value.push_back(std::move(copy));
  } else if (value.is_object()) {
    value[random() % 2 == 0 ? "x" : "example.com/Key"] = values()[below(random, values().size())];
  }
}

void rename(json& value, Random& random) {
  if (!value.is_object() || value.empty()) return;
  const auto at =
      std::next(value.begin(), static_cast<std::ptrdiff_t>(below(random, value.size())));
  json name = at.key(), member = at.value();
  value.erase(at);
  change_text(name, random);
  value[dump(name).substr(1, name.get_ref<const std::string&>().size())] = std::move(member);
}

// The MiniCluster in the input.
json& spec_holder(json& value, Random& random) {
  if (value.is_object() && value.contains("request") && value["request"].is_object()) {
    return value["request"][random() % 4 == 0 ? "oldObject" : "object"];
  }
  if (value.is_array() && !value.empty()) return value[below(random, value.size())];
  return value;
}

void change(json& value, Random& random) {
  switch (random() % 8) {
    case 0:
    case 1:
      return set_property(spec_holder(value, random), random,
                          values()[below(random, values().size())]);
    case 2:
      any_of(value, random) = values()[below(random, values().size())];
      return;
    case 3:
      return change_text(any_of(value, random), random);
    case 4:
      return remove_some(any_of(value, random), random);
    case 5:
      return add_some(any_of(value, random), random);
    case 6:
      return rename(any_of(value, random), random);
    default: {
      json copy = any_of(value, random);
      any_of(value, random) = std::move(copy);
    }
  }
}

std::size_t write(const json& value, std::uint8_t* data, std::size_t most) {
  const std::string text = dump(value);
  if (text.size() > most) return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace
}  // namespace mc::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace mc::fuzz;
  Random random(seed);
  mc::json value = read_object(text_of(data, size));
  if (value.is_discarded() || random() % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) change(value, random);
  const std::size_t written = write(value, data, most);
  return written == 0 ? LLVMFuzzerMutate(data, size, most) : written;
}

// Inserts a part of one input anywhere in the other.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  using namespace mc::fuzz;
  Random random(seed);
  mc::json into = read_object(text_of(data1, size1)), from = read_object(text_of(data2, size2));
  if (into.is_discarded() || from.is_discarded()) return 0;
  any_of(into, random) = mc::json(any_of(from, random));
  return write(into, out, most);
}
