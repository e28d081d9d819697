#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/examine.h"
#include "common/api/model/field.h"
#include "common/base/json.h"
#include "common/base/result.h"

// Manifests for kubectl, read offline: YAML or JSON, many documents, Lists.
namespace mc::api {

// metadata.name of a Kubernetes object, otherwise metadata.generateName, otherwise "".
std::string name_of(const json& object);

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
std::string refusal(std::string_view name, const std::vector<FieldError>& errors);

// The text with a space for each control character, so that it stays on one line.
std::string printable(std::string text);

}  // namespace mc::api
