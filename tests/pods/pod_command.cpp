#include "tests/pods/pod_command.h"

#include "common/base/json.h"

namespace mc::pods {

std::string expanded(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string out;
  const std::size_t last = text.rfind(')');
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    const bool closed = next == '(' && last != std::string::npos && at < last;
    const std::size_t end = closed ? text.find(')', at) : std::string::npos;
    if (text[at] != '$' || (next != '$' && end == std::string::npos)) {
      out += text[at];
    } else if (next == '$') {
      out += '$';
      ++at;
    } else {
      const auto value = values.find(text.substr(at + 2, end - at - 2));
      out += value == values.end() ? text.substr(at, end + 1 - at) : value->second;
      at = end;
    }
  }
  return out;
}

std::vector<std::string> command_of(const json& container,
                                    const std::vector<std::string>& entry_point,
                                    const std::map<std::string, std::string>& values) {
  std::vector<std::string> out;
  for (const char* part : {"command", "args"}) {
    for (const json& word : at_path(container, {part})) {
      out.push_back(expanded(word.get<std::string>(), values));
    }
    if (out.empty()) out = entry_point;
  }
  return out;
}

std::map<std::string, std::string> variables_of(
    const json& container, std::map<std::string, std::string> image,
    const std::map<std::string, std::map<std::string, std::string>>& secrets) {
  for (const json& entry : at_path(container, {"env"})) {
    const json& secret = at_path(entry, {"valueFrom", "secretKeyRef"});
    const std::string name = entry.at("name");
    image[name] = secret.is_object() ? secrets.at(secret.at("name")).at(secret.at("key"))
                                     : expanded(entry.value("value", ""), image);
  }
  return image;
}

}  // namespace mc::pods
