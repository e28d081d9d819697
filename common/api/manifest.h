#pragma once
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/examine.h"
#include "common/api/model/field.h"
#include "common/base/json.h"
#include "common/base/result.h"

// Manifests for kubectl, read offline: YAML or JSON, many documents, Lists.
namespace mc::api {

// The text of a file; of `standard_input` for "-". The message says why it cannot be read.
[[nodiscard]] Result<std::string> read_input(const std::string& file, std::istream& standard_input);

struct Document {
  std::size_t number = 0;  // from 1
  std::size_t item = 0;    // from 1 in a List, else 0
  std::string kind;        // "": not a Kubernetes object
  std::string name;        // name_of the object
  json object;
  // Repeated keys of the document, listed with its first object.
  std::vector<std::string> warnings{};
};

// Every object of a text; Lists are expanded. Malformed: not YAML (the message has line and
// column), or no document in it.
[[nodiscard]] Result<std::vector<Document>> read_manifest(std::string_view text);

// Examines an object of kind MiniCluster; an unknown apiVersion is an error.
Examination examine_document(const Document& document,
                             FieldValidation fields = FieldValidation::Strict);

// The text that kubectl prints for an Invalid error of the API server: one error after the colon,
// several as bullets, one line each, with a newline at the end. Control characters of user input
// are replaced.
std::string refusal(std::string_view name, const FieldErrors& errors);

}  // namespace mc::api
