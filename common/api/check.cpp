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
  std::string file;
  std::size_t document = 0;  // from 1; 0: the file as a whole
  std::size_t item = 0;      // from 1 in a List, else 0
  std::string kind, name;
  std::string unreadable;  // the reason; then the rest is unused
  bool skipped = false;    // an object of another kind
  FieldErrors errors;
  std::vector<std::string> warnings;

  int code() const {
    return !unreadable.empty() ? kCheckUnreadable : errors.empty() ? kCheckAccepted : kCheckRefused;
  }
};

Outcome check_document(const Document& document, FieldValidation fields, Outcome outcome) {
  outcome.document = document.number;
  outcome.item = document.item;
  outcome.kind = document.kind;
  outcome.name = document.name;
  if (document.kind.empty()) {
    outcome.unreadable = "not a Kubernetes object: kind is missing";
  } else if (document.kind != kKind) {
    outcome.skipped = true;
  } else {
    Examination found = examine_document(document, fields);
    outcome.errors = std::move(found.errors);
    outcome.warnings = std::move(found.warnings);
  }
  return outcome;
}

void check_file(const std::string& file, FieldValidation fields, std::istream& input,
                std::vector<Outcome>& outcomes) {
  Outcome outcome;
  outcome.file = file == "-" ? "standard input" : file;
  const auto unreadable = [&](const std::string& why) {
    outcome.unreadable = why;
    outcomes.push_back(outcome);
  };
  const auto text = read_input(file, input);
  if (!text) return unreadable(text.error().message);
  const auto documents = read_manifest(*text);
  if (!documents) return unreadable(documents.error().message);
  for (const Document& document : *documents) {
    outcomes.push_back(check_document(document, fields, outcome));
  }
}

void print(const Outcome& outcome, std::ostream& out, std::ostream& err) {
  const std::string file = one_line(outcome.file);
  if (!outcome.unreadable.empty()) {
    err << file << ": ";
    if (outcome.document != 0) err << "document " << outcome.document << ": ";
    err << one_line(outcome.unreadable) << "\n";
    return;
  }
  for (const std::string& warning : outcome.warnings)
    out << "Warning: " << one_line(warning) << "\n";
  out << file << ": ";
  if (outcome.skipped) {
    out << one_line(outcome.kind) << " " << dump(outcome.name) << " skipped\n";
  } else if (outcome.errors.empty()) {
    out << "MiniCluster " << dump(outcome.name) << " accepted\n";
  } else {
    out << refusal(outcome.name, outcome.errors);
  }
}

json as_json(const Outcome& outcome) {
  json entry = {{"file", outcome.file}};
  if (outcome.document != 0) entry["document"] = outcome.document;
  if (outcome.item != 0) entry["item"] = outcome.item;
  if (!outcome.unreadable.empty()) {
    entry["unreadable"] = outcome.unreadable;
    return entry;
  }
  entry["kind"] = outcome.kind;
  entry["name"] = outcome.name;
  if (outcome.skipped) {
    entry["passedOver"] = true;
    return entry;
  }
  entry["accepted"] = outcome.errors.empty();
  entry["warnings"] = outcome.warnings;
  entry["errors"] = json::array();
  for (const FieldError& error : outcome.errors) {
    entry["errors"].push_back(
        {{"field", error.field}, {"reason", cause(error.kind)}, {"message", message(error)}});
  }
  return entry;
}

}  // namespace

int check(const CheckOptions& options, std::istream& standard_input, std::ostream& out,
          std::ostream& err) {
  std::vector<Outcome> outcomes;
  for (const std::string& file : options.files) {
    check_file(file, options.fields, standard_input, outcomes);
  }
  json all = json::array();
  int worst = kCheckAccepted;
  for (const Outcome& outcome : outcomes) {
    worst = std::max(worst, outcome.code());
    if (options.json) {
      all.push_back(as_json(outcome));
    } else {
      print(outcome, out, err);
    }
  }
  if (options.json) out << dump(all, 2) << "\n";
  return worst;
}

}  // namespace mc::api
