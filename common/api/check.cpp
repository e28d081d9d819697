#include "common/api/check.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <utility>

#include "common/api/manifest.h"
#include "common/api/model/names.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

// The result for one object, or for a file or document that has none.
struct Outcome {
  Document document;     // without the object
  bool skipped = false;  // an object of another kind
  FieldErrors errors;
  std::vector<std::string> warnings;

  int code() const {
    if (!document.unreadable.empty()) return kCheckUnreadable;
    return errors.empty() ? kCheckAccepted : kCheckRefused;
  }
};

Outcome check_document(Document document, FieldValidation fields) {
  Outcome outcome;
  if (document.unreadable.empty() && is_api_kind(document.kind)) {
    Examination found = examine_document(document, fields);
    outcome.errors = std::move(found.errors);
    outcome.warnings = std::move(found.warnings);
  } else {
    outcome.skipped = document.unreadable.empty();
  }
  outcome.document = std::move(document);
  outcome.document.object = nullptr;
  return outcome;
}

void print(const Outcome& outcome, std::ostream& out, std::ostream& err) {
  const Document& document = outcome.document;
  if (!document.unreadable.empty()) {
    err << unreadable_line(document);
    return;
  }
  for (const std::string& warning : outcome.warnings)
    out << "Warning: " << one_line(warning) << "\n";
  out << one_line(document.file) << ": ";
  if (outcome.skipped) {
    out << skipped_line(document);
  } else if (outcome.errors.empty()) {
    out << one_line(document.kind + " " + dump(document.name) + " accepted") << "\n";
  } else {
    out << refusal(document.kind, document.name, outcome.errors);
  }
}

json as_json(const Outcome& outcome) {
  const Document& document = outcome.document;
  json entry = {{"file", document.file}};
  if (document.number != 0) entry["document"] = document.number;
  if (document.item != 0) entry["item"] = document.item;
  if (!document.unreadable.empty()) {
    entry["unreadable"] = document.unreadable;
    return entry;
  }
  entry["kind"] = document.kind;
  entry["name"] = document.name;
  if (outcome.skipped) {
    entry["passedOver"] = true;
    return entry;
  }
  entry["accepted"] = outcome.errors.empty();
  entry["warnings"] = outcome.warnings;
  entry["errors"] = json::array();
  for (const FieldError& error : outcome.errors) {
    entry["errors"].push_back(cause_of(error));
  }
  return entry;
}

}  // namespace

int check(const CheckOptions& options, std::istream& standard_input, std::ostream& out,
          std::ostream& err) {
  json all = json::array();
  int worst = kCheckAccepted;
  read_manifests(options.files, standard_input, [&](Document document) {
    const Outcome outcome = check_document(std::move(document), options.fields);
    worst = std::max(worst, outcome.code());
    if (options.json) {
      all.push_back(as_json(outcome));
    } else {
      print(outcome, out, err);
    }
  });
  if (options.json) out << dump(all, 2) << "\n";
  return worst;
}

}  // namespace mc::api
