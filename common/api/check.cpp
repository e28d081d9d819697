#include "common/api/check.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>
#include <utility>

#include "common/api/manifest.h"
#include "common/api/model/names.h"
#include "common/base/file.h"

namespace mc::api {
namespace {

// The result for one object, or for a file or document that has none.
struct Verdict {
  std::string file;
  std::size_t document = 0;  // from 1; 0: the file as a whole
  std::size_t item = 0;      // from 1 in a List, else 0
  std::string kind, name;
  std::string unreadable;    // the reason; then the rest is unused
  bool passed_over = false;  // an object of another kind
  std::vector<api::FieldError> errors;
  std::vector<std::string> warnings;

  int code() const {
    return !unreadable.empty() ? kCheckUnreadable : errors.empty() ? kCheckAccepted : kCheckRefused;
  }
};

std::string quoted(const std::string& value) {
  return json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

Verdict judge(const api::Document& document, api::FieldValidation fields, Verdict verdict) {
  verdict.document = document.number;
  verdict.item = document.item;
  verdict.kind = document.kind;
  verdict.name = document.name;
  if (document.kind.empty()) {
    verdict.unreadable = "not a Kubernetes object: kind is missing";
  } else if (document.kind != api::kKind) {
    verdict.passed_over = true;
  } else {
    api::Examination found = api::examine_document(document, fields);
    verdict.errors = std::move(found.errors);
    verdict.warnings = std::move(found.warnings);
  }
  return verdict;
}

void judge_file(const std::string& file, api::FieldValidation fields, std::istream& input,
                std::vector<Verdict>& verdicts) {
  Verdict verdict;
  verdict.file = file == "-" ? "standard input" : file;
  const auto unreadable = [&](const std::string& why) {
    verdict.unreadable = why;
    verdicts.push_back(verdict);
  };
  const Result<std::string> text =
      file == "-" ? std::string(std::istreambuf_iterator<char>(input), {}) : read_file(file);
  if (!text) return unreadable(text.error().message);
  const auto documents = api::read_manifest(*text);
  if (!documents) return unreadable(documents.error().message);
  for (const api::Document& document : *documents) {
    verdicts.push_back(judge(document, fields, verdict));
  }
}

void print(const Verdict& verdict, std::ostream& out, std::ostream& err) {
  const std::string file = api::printable(verdict.file);
  if (!verdict.unreadable.empty()) {
    err << file << ": ";
    if (verdict.document != 0) err << "document " << verdict.document << ": ";
    err << api::printable(verdict.unreadable) << "\n";
    return;
  }
  for (const std::string& warning : verdict.warnings)
    out << "Warning: " << api::printable(warning) << "\n";
  out << file << ": ";
  if (verdict.passed_over) {
    out << api::printable(verdict.kind) << " " << quoted(verdict.name) << " skipped\n";
  } else if (verdict.errors.empty()) {
    out << "MiniCluster " << quoted(verdict.name) << " accepted\n";
  } else {
    out << api::refusal(verdict.name, verdict.errors);
  }
}

json as_json(const Verdict& verdict) {
  json entry = {{"file", verdict.file}};
  if (verdict.document != 0) entry["document"] = verdict.document;
  if (verdict.item != 0) entry["item"] = verdict.item;
  if (!verdict.unreadable.empty()) {
    entry["unreadable"] = verdict.unreadable;
    return entry;
  }
  entry["kind"] = verdict.kind;
  entry["name"] = verdict.name;
  if (verdict.passed_over) {
    entry["passedOver"] = true;
    return entry;
  }
  entry["accepted"] = verdict.errors.empty();
  entry["warnings"] = verdict.warnings;
  entry["errors"] = json::array();
  for (const api::FieldError& error : verdict.errors) {
    entry["errors"].push_back({{"field", error.field},
                               {"reason", api::cause(error.kind)},
                               {"message", api::message(error)}});
  }
  return entry;
}

}  // namespace

int check(const CheckOptions& options, std::istream& standard_input, std::ostream& out,
          std::ostream& err) {
  std::vector<Verdict> verdicts;
  for (const std::string& file : options.files) {
    judge_file(file, options.fields, standard_input, verdicts);
  }
  json all = json::array();
  int worst = kCheckAccepted;
  for (const Verdict& verdict : verdicts) {
    worst = std::max(worst, verdict.code());
    if (options.json) {
      all.push_back(as_json(verdict));
    } else {
      print(verdict, out, err);
    }
  }
  if (options.json) out << all.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  return worst;
}

}  // namespace mc::api
