#pragma once
#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::pods {

// Expands `$(NAME)` and `$$` in a command or a value, as a kubelet does.
std::string expanded(const std::string& text, const std::map<std::string, std::string>& values);

// The container's command and args, or the image's entry point.
std::vector<std::string> command_of(const json& container,
                                    const std::vector<std::string>& entry_point,
                                    const std::map<std::string, std::string>& values);

// The variables of the image, overridden by those of `container`, which may refer to each other;
// secrets by name and key.
std::map<std::string, std::string> variables_of(
    const json& container, std::map<std::string, std::string> image,
    const std::map<std::string, std::map<std::string, std::string>>& secrets);

}  // namespace mc::pods
