#include "common/api/manifest.h"

#include <utility>

#include "common/api/model/names.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "common/base/yaml.h"

namespace mc::api {
namespace {

// Adds the objects of one document. The first one gets its warnings.
void add(json object, Document place, std::vector<Document>& out) {
  place.kind = text_at(object, {"kind"});
  const json& items = at_path(object, {"items"});
  if (place.item == 0 && place.kind.ends_with("List") && items.is_array()) {
    for (const json& item : items) {
      ++place.item;
      add(item, place, out);
      place.warnings.clear();
    }
    return;
  }
  if (place.kind.empty()) place.unreadable = "not a Kubernetes object: kind is missing";
  place.name = name_of(object);
  place.object = std::move(object);
  out.push_back(std::move(place));
}

}  // namespace

Result<std::vector<Document>> read_manifest(std::string_view text) {
  std::vector<RepeatedKey> repeated;
  auto documents = parse_yaml(text, &repeated);
  if (!documents) return std::unexpected(documents.error());
  if (documents->empty()) return fail(ErrorKind::Malformed, "has no document");
  std::vector<Document> out;
  Document place;
  for (json& object : *documents) {
    place.warnings.clear();
    for (const RepeatedKey& key : repeated) {
      if (key.document == place.number)
        place.warnings.push_back(key.text + "; the last one counts");
    }
    ++place.number;
    add(std::move(object), place, out);
  }
  return out;
}

void read_manifests(const std::vector<std::string>& files, std::istream& standard_input,
                    const std::function<void(Document)>& each) {
  for (const std::string& file : files) {
    const std::string called = file == "-" ? "standard input" : file;
    const auto text =
        file == "-" ? read_all(standard_input, kMostFileBytes) : read_file(file, kMostFileBytes);
    auto documents = text ? read_manifest(*text) : std::unexpected(text.error());
    if (!documents) {
      Document whole;
      whole.file = called;
      whole.unreadable = documents.error().message;
      documents = std::vector{std::move(whole)};
    }
    for (Document& document : *documents) {
      document.file = called;
      each(std::move(document));
    }
  }
}

std::string unreadable_line(const Document& document) {
  const std::string where =
      document.number == 0 ? "" : "document " + std::to_string(document.number) + ": ";
  return one_line(document.file) + ": " + where + one_line(document.unreadable) + "\n";
}

std::string skipped_line(const Document& document) {
  return one_line(document.kind + " " + dump(document.name) + " skipped") + "\n";
}

Examination examine_document(const Document& document, FieldValidation fields) {
  const std::string version = text_at(document.object, {"apiVersion"});
  Examination out;
  if (version == kApiVersion) {
    out = examine_kind(document.kind, document.object, nullptr, fields);
  } else {
    out.errors = {not_supported(FieldPath("apiVersion"), version, {std::string(kApiVersion)})};
  }
  out.warnings.insert(out.warnings.begin(), document.warnings.begin(), document.warnings.end());
  return out;
}

std::string refusal(std::string_view kind, std::string_view name, const FieldErrors& errors) {
  std::string text = "The " + std::string(kind) + " " + one_line(dump(name)) + " is invalid:";
  const bool bullets = errors.size() > 1;
  for (const FieldError& error : errors) {
    text += (bullets ? "\n* " : " ") + one_line(to_string(error));
  }
  return text + "\n";
}

}  // namespace mc::api
