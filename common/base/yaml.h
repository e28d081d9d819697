#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"

namespace mc {

// Every document of a YAML stream as JSON, with the scalar rules that kubectl applies (YAML 1.1 as
// in sigs.k8s.io/yaml: yes/no/on/off are booleans, 0o17 and 0x1f are numbers, quoted scalars are
// strings, keys are strings). Empty documents are left out. An error names line and column.
// A key given twice and alias expansion beyond a bound are errors.
Result<std::vector<json>> parse_yaml(std::string_view text);

// A document that parse_yaml reads back as the same value; mappings in block style, keys sorted but
// for apiVersion, kind, metadata, which lead; texts of several lines as literal blocks.
std::string to_yaml(const json& value);

}  // namespace mc
