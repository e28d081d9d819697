#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/examine.h"
#include "common/api/model/field.h"
#include "common/base/json.h"
#include "common/base/result.h"

// What users hand to kubectl, read offline: YAML or JSON, many documents, Lists.
namespace mc::api {

// metadata.name of a Kubernetes object, or metadata.generateName where it has no name yet, or "".
std::string name_of(const json& object);

struct Document {
  std::size_t number = 0;  // from 1
  std::size_t item = 0;    // from 1 in a List, else 0
  std::string kind;        // "": this is no Kubernetes object
  std::string name;        // name_of the object
  json object;
  // Of the document, with its first object: keys that are given twice, of which the last counts.
  std::vector<std::string> warnings{};
};

// Every object of a text, those of Lists one by one. Malformed: no YAML (the message has line and
// column), or no document in it.
[[nodiscard]] Result<std::vector<Document>> read_manifest(std::string_view text);

// What examine says of an object of kind MiniCluster, or that its apiVersion is not one we know.
Examination examine_document(const Document& document,
                             FieldValidation fields = FieldValidation::Strict);

// As kubectl prints what the API server refuses as Invalid: one error behind the colon, several as
// bullets, a line each, with a newline at the end. No control character of a user's text
// gets through.
std::string refusal(std::string_view name, const std::vector<FieldError>& errors);

// The text with a space for each control character, so that it stays one line of plain text.
std::string printable(std::string text);

}  // namespace mc::api
