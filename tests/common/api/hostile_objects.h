#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/common/api/base_object.h"

// Objects that are designed to be expensive for whoever validates them.
namespace mc::test {

inline std::string repeated(const std::string& part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

inline json with_hostlist(std::size_t repeats) {
  json object = base_object();
  object["spec"]["flux"]["bursting"]["hostlist"] = repeated("a[0-99999],", repeats);
  return object;
}

inline json with_broker_config(std::size_t repeats) {
  json object = base_object();
  object["spec"]["flux"]["brokerConfig"] =
      "[bootstrap]\nhosts = [" + repeated("{host = \"a[0-99999]\"},", repeats) + "]\n";
  return object;
}

inline json with_unknown_broker_keys(std::size_t count) {
  std::string text = "[access]\n";
  for (std::size_t i = 0; i < count; ++i) text += "k" + std::to_string(i) + "=0\n";
  json object = base_object();
  object["spec"]["flux"]["brokerConfig"] = std::move(text);
  return object;
}

// Each part of a key is a table in the one before it.
inline json with_deep_broker_key(std::size_t parts) {
  std::string key = "a";
  for (std::size_t i = 1; i < parts; ++i) key += ".a";
  json object = base_object();
  object["spec"]["flux"]["brokerConfig"] = "[access]\n" + key + " = 1\n";
  return object;
}

inline json with_ports(std::size_t count, const json& port = 70000) {
  json object = base_object();
  object["spec"]["containers"][0]["ports"] = json::array_t(count, port);
  return object;
}

// Errors below one long name, which would be in the path of each.
inline json below_a_long_name(std::size_t count, std::size_t length) {
  json object = base_object();
  json& volume = object["spec"]["containers"][0]["volumes"][std::string(length, 'a')];
  volume = {{"path", "/data"}, {"configMapName", "c"}};
  for (std::size_t i = 0; i < count; ++i) volume["items"]["!" + std::to_string(i)] = "";
  return object;
}

// A long text that differs only at its end, `levels` below spec.
inline json deep_text(std::size_t levels, char last) {
  json value = std::string(3'000'000, 'a') + last;
  for (std::size_t i = 0; i < levels; ++i) value = json{{"x", std::move(value)}};
  json object = base_object();
  object["spec"].update(value);
  return object;
}

// `count` labels, all of which differ.
inline json with_labels(std::size_t count, const char* value) {
  json object = base_object();
  for (std::size_t i = 0; i < count; ++i) {
    object["spec"]["jobLabels"]["label-" + std::to_string(i)] = value;
  }
  return object;
}

struct HostileObject {
  const char* name;
  json object;
  json old = nullptr;  // of an update
};

inline std::vector<HostileObject> hostile_objects() {
  return {{"a hostlist of 1 KB", with_hostlist(100)},
          {"a hostlist of 33 KB", with_hostlist(3'000)},
          {"a hostlist of 3 MiB", with_hostlist(286'000)},
          {"a broker.toml of 70 KB", with_broker_config(3'000)},
          {"80,000 unknown keys in a broker.toml", with_unknown_broker_keys(80'000)},
          {"400,000 unknown keys in a broker.toml", with_unknown_broker_keys(400'000)},
          {"a key of 130,000 parts in a broker.toml", with_deep_broker_key(130'000)},
          {"40,000 wrong ports", with_ports(40'000)},
          {"100,000 wrong ports", with_ports(100'000)},
          {"5,000 errors below a long name", below_a_long_name(5'000, 100'000)}};
}

inline std::vector<HostileObject> hostile_updates() {
  return {{"a text of 3 MB 450 levels deep", deep_text(450, 'b'), deep_text(450, 'c')},
          {"9,000 other labels", with_labels(9'000, "b"), with_labels(9'000, "c")}};
}

}  // namespace mc::test
