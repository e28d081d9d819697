#pragma once
#include <cstddef>
#include <functional>
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

struct Document {
  std::size_t number = 0;  // from 1; 0: the file as a whole
  std::size_t item = 0;    // from 1 in a List, else 0
  std::string kind;        // "": not a Kubernetes object
  std::string name;        // name_of the object
  json object;
  // Repeated keys of the document, listed with its first object.
  std::vector<std::string> warnings{};
  std::string file{};        // "standard input" for "-"; set by read_manifests
  std::string unreadable{};  // why the document, or the file (number 0), is no object; "" if it is
};

// Every object of a text; Lists are expanded. Malformed: not YAML (the message has line and
// column), or no document in it.
[[nodiscard]] Result<std::vector<Document>> read_manifest(std::string_view text);

// Calls `each` for every object of the files, in order, and once for each file or document that is
// unreadable. "-" is `standard_input`.
void read_manifests(const std::vector<std::string>& files, std::istream& standard_input,
                    const std::function<void(Document)>& each);

// One line that says what is unreadable, and why, with a newline at the end.
std::string unreadable_line(const Document& document);

// One line that says that an object of another kind is skipped, with a newline at the end.
std::string skipped_line(const Document& document);

// Examines an object of one of kApiKinds; an unknown apiVersion is an error.
Examination examine_document(const Document& document,
                             FieldValidation fields = FieldValidation::StrictEverywhere);

// The text that kubectl prints for an Invalid error of the API server about an object of `kind`:
// one error after the colon, several as bullets, one line each, with a newline at the end. Control
// characters of user input are replaced.
std::string refusal(std::string_view kind, std::string_view name, const FieldErrors& errors);

}  // namespace mc::api
