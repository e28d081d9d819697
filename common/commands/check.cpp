#include "common/commands/check.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <utility>

#include "common/api/manifest.h"
#include "common/api/model/names.h"
#include "common/base/text.h"

namespace mc::commands {
namespace {

// The result for one object, or for a file or document that has none.
struct Outcome {
  api::Document document;  // without the object
  bool skipped = false;    // an object of another kind
  api::FieldErrors errors;
  std::vector<std::string> warnings;

  int code() const {
    if (!document.unreadable.empty()) return kCheckUnreadable;
    return errors.empty() ? kCheckAccepted : kCheckRefused;
  }
};

Outcome check_document(api::Document document, api::FieldValidation fields) {
  Outcome outcome;
  if (document.unreadable.empty() && api::is_api_kind(document.kind)) {
    api::Examination found = api::examine_document(document, fields);
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
  const api::Document& document = outcome.document;
  if (!document.unreadable.empty()) {
    err << api::unreadable_line(document);
    return;
  }
  for (const std::string& warning : outcome.warnings)
    out << "Warning: " << one_line(warning) << "\n";
  out << one_line(document.file) << ": ";
  if (outcome.skipped) {
    out << api::skipped_line(document);
  } else if (outcome.errors.empty()) {
    out << one_line(document.kind + " " + dump(document.name) + " accepted") << "\n";
  } else {
    out << api::refusal(document.kind, document.name, outcome.errors);
  }
}

json as_json(const Outcome& outcome) {
  const api::Document& document = outcome.document;
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
  for (const api::FieldError& error : outcome.errors) {
    entry["errors"].push_back(api::cause_of(error));
  }
  return entry;
}

}  // namespace

int check(const CheckOptions& options, std::istream& standard_input, std::ostream& out,
          std::ostream& err) {
  json all = json::array();
  int worst = kCheckAccepted;
  api::read_manifests(options.files, standard_input, [&](api::Document document) {
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

}  // namespace mc::commands
