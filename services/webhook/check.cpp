#include "services/webhook/check.h"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <utility>

#include "common/api/examine.h"
#include "common/api/names.h"
#include "common/base/yaml.h"
#include "services/webhook/object.h"

namespace mc::webhook {
namespace {

// What there is to say about one object, or about a file or document that gave none.
struct Verdict {
  std::string file;
  std::size_t document = 0;  // from 1; 0: the file as a whole
  std::size_t item = 0;      // from 1 in a List, else 0
  std::string kind, name;
  std::string unreadable;    // why; then nothing below counts
  bool passed_over = false;  // of another kind
  std::vector<api::FieldError> errors;
  std::vector<std::string> warnings;

  int code() const {
    return !unreadable.empty() ? kUnreadable : errors.empty() ? kAccepted : kRefused;
  }
};

std::string quoted(const std::string& value) {
  return json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::expected<std::string, std::string> read(const std::string& file, std::istream& input) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(input), {});
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return std::unexpected("is a directory");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::unexpected(std::generic_category().message(errno));
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return std::unexpected("cannot be read");
  return bytes;
}

void judge_object(const json& object, Verdict verdict, std::vector<Verdict>& verdicts) {
  verdict.kind = text(object, "kind");
  if (verdict.kind.empty()) {
    verdict.unreadable = "no Kubernetes object: kind is missing";
    verdicts.push_back(std::move(verdict));
    return;
  }
  const auto items = object.find("items");
  if (verdict.kind.ends_with("List") && verdict.item == 0 && items != object.end() &&
      items->is_array()) {
    for (const json& element : *items) {
      ++verdict.item;
      judge_object(element, verdict, verdicts);
    }
    return;
  }
  verdict.name = name_of(object);
  const std::string version = text(object, "apiVersion");
  if (verdict.kind != api::kKind) {
    verdict.passed_over = true;
  } else if (version != api::kApiVersion) {
    verdict.errors = {
        api::not_supported(api::FieldPath("apiVersion"), version, {std::string(api::kApiVersion)})};
  } else {
    api::Examination found = api::examine(object);
    verdict.errors = std::move(found.errors);
    verdict.warnings = std::move(found.warnings);
  }
  verdicts.push_back(std::move(verdict));
}

void judge_file(const std::string& file, std::istream& input, std::vector<Verdict>& verdicts) {
  Verdict verdict;
  verdict.file = file == "-" ? "standard input" : file;
  const auto unreadable = [&](const std::string& why) {
    verdict.unreadable = why;
    verdicts.push_back(verdict);
  };
  const auto bytes = read(file, input);
  if (!bytes) return unreadable(bytes.error());
  const auto documents = parse_yaml(*bytes);
  if (!documents) return unreadable(documents.error().message);
  if (documents->empty()) return unreadable("has no document");
  for (const json& object : *documents) {
    ++verdict.document;
    judge_object(object, verdict, verdicts);
  }
}

// As kubectl prints an Invalid of the API server: one error on the line, several as bullets.
void print_refusal(const Verdict& verdict, std::ostream& out) {
  out << "The MiniCluster " << quoted(verdict.name) << " is invalid:";
  const bool bullets = verdict.errors.size() > 1;
  if (bullets) out << "\n";
  for (const api::FieldError& error : verdict.errors) {
    out << (bullets ? "* " : " ") << printable(api::to_string(error)) << "\n";
  }
}

void print(const Verdict& verdict, std::ostream& out, std::ostream& err) {
  const std::string file = printable(verdict.file);
  if (!verdict.unreadable.empty()) {
    err << file << ": ";
    if (verdict.document != 0) err << "document " << verdict.document << ": ";
    err << printable(verdict.unreadable) << "\n";
    return;
  }
  for (const std::string& warning : verdict.warnings)
    out << "Warning: " << printable(warning) << "\n";
  out << file << ": ";
  if (verdict.passed_over) {
    out << printable(verdict.kind) << " " << quoted(verdict.name) << " passed over\n";
  } else if (verdict.errors.empty()) {
    out << "MiniCluster " << quoted(verdict.name) << " accepted\n";
  } else {
    print_refusal(verdict, out);
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
  for (const std::string& file : options.files) judge_file(file, standard_input, verdicts);
  json all = json::array();
  int worst = kAccepted;
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

}  // namespace mc::webhook
