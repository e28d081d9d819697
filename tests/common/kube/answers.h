#pragma once
#include <string>

#include "common/base/json.h"

// What the API server answers.
namespace mc::kube {

// To a request that fails.
inline json status(int code, const char* reason, const std::string& message) {
  return {{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", message}};
}

inline json pod(const std::string& name, const std::string& version) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "a"}, {"resourceVersion", version}}}};
}

// One event of a watch, without the newline.
inline std::string watch_line(const char* type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump();
}

}  // namespace mc::kube
