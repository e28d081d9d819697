#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"

namespace mc {

// Every document of a YAML stream as JSON, with the scalar rules that kubectl applies (YAML 1.1 as
// in sigs.k8s.io/yaml: yes/no/on/off are booleans, 0o17 and 0x1f are numbers, quoted scalars are
// strings, keys are strings). Empty documents are left out. Errors name line and column. Alias
// expansion beyond a bound is an error. A repeated key is an error if `repeated` is null; otherwise
// the last one counts, as in kubectl, and the first 100 are reported there.
struct RepeatedKey {
  std::size_t document;  // the index of its document in the result
  std::string text;      // `line 7, column 3: the key "size" is given twice`
};
Result<std::vector<json>> parse_yaml(std::string_view text,
                                     std::vector<RepeatedKey>* repeated = nullptr);

// A document that parse_yaml reads back as the same value: mappings in block style with sorted
// keys, except that apiVersion, kind and metadata come first; multi-line texts as literal blocks.
std::string to_yaml(const json& value);

}  // namespace mc
