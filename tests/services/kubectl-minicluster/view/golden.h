#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"

// What is shown of recorded states, compared with files in golden/. UPDATE_GOLDEN=1 writes them.
namespace mc::kubectl {

// The objects in a file of this folder.
std::vector<json> recorded(const std::string& file);

// The test fails unless the text is that of golden/NAME.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace mc::kubectl
