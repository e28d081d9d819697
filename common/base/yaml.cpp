#include "common/base/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "common/base/text.h"
#include "common/base/yaml_scalar.h"

namespace mc {
namespace {

// Far deeper than any Kubernetes object, and far below the limit of a recursive writer's stack.
constexpr std::size_t kMaxDepth = 100;

// An error with its position; `line` and `column` count from 0, the message from 1.
std::unexpected<Error> fail_at(int line, int column, const std::string& reason) {
  return fail(ErrorKind::Malformed, "line " + std::to_string(line + 1) + ", column " +
                                        std::to_string(column + 1) + ": " + reason);
}

// Turns every kind of line end into \n and removes a leading byte order mark. Fails if the text is
// not UTF-8 or contains control characters, one of which the parser would take for the end.
Result<std::string> clean_text(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string clean;
  clean.reserve(text.size());
  int line = 0, column = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.length == 0) return fail_at(line, column, "the text is not UTF-8");
    if (!is_yaml_printable(c.value))
      return fail_at(line, column, "control characters are not allowed");
    const bool ends_line = c.value == '\n' || c.value == '\r';
    clean += ends_line ? "\n" : text.substr(0, c.length);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : c.length);
    line += ends_line ? 1 : 0;
    column = ends_line ? 0 : column + 1;
  }
  return clean;
}

// Parses JSON, which may contain escapes that YAML does not have, such as \ud83d\ude00. nullopt if
// the text is not a JSON object, repeats a key or is nested too deeply; the YAML parser then
// reports the error and its position.
std::optional<json> parse_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos || text[first] != '{') return std::nullopt;
  bool acceptable = true;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    using enum json::parse_event_t;
    if (event == object_start) keys.emplace_back();
    if (event == object_end) keys.pop_back();
    if (event == key && !keys.back().insert(parsed.get<std::string>()).second) acceptable = false;
    if (static_cast<std::size_t>(depth) > kMaxDepth) acceptable = false;
    // Not an error, because JSON has no infinity: a number beyond a double is not parsed.
    if (event == value) parsed = *yaml::json_value(std::move(parsed));
    return acceptable;
  };
  json value = json::parse(text, check, false);
  if (!acceptable || value.is_discarded()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& reason) {
  throw YAML::ParserException(mark, reason);
}

template <class T>
T value_or_refuse(const YAML::Mark& mark, Result<T> result) {
  if (!result) refuse(mark, result.error().message);
  return *std::move(result);
}

// The parser's tags for scalars without a tag: "?" is unquoted, "!" is quoted.
bool is_plain(const std::string& tag) { return tag == "?"; }

void check_collection_tag(const YAML::Mark& mark, const std::string& tag, std::string_view type) {
  if (tag.empty() || tag == "?" || tag == "!") return;
  if (tag == "tag:yaml.org,2002:" + std::string(type)) return;
  refuse(mark, "the tag does not fit a " + std::string(type == "map" ? "mapping" : "sequence"));
}

// Earlier mappings of a sequence win; existing keys are overwritten, as in kubectl.
void merge_into(json& target, const json& source, const YAML::Mark& mark) {
  const bool is_list = source.is_array();
  const auto is_object = [](const json& entry) { return entry.is_object(); };
  if (!source.is_object() && !(is_list && std::ranges::all_of(source, is_object))) {
    refuse(mark, "a merge key (<<) needs a mapping or a sequence of mappings");
  }
  if (!is_list) return target.update(source);
  for (auto entry = source.rbegin(); entry != source.rend(); ++entry) target.update(*entry);
}

// What aliases may add: enough for any real file, however small, and never more than ten times the
// text.
constexpr std::size_t kMinExpansion = 100'000;
constexpr std::size_t kExpansionFactor = 10;
constexpr std::size_t kMostRepeated = 100;

// Turns the parser's events into JSON, one document at a time. Violations of parse_yaml's rules are
// thrown as YAML::ParserException with their position: there is no other way to stop the parser.
class Builder final : public YAML::EventHandler {
 public:
  // `expansion_limit`: how much all aliases of the stream may add together, in nodes plus bytes of
  // text. `repeated`: see parse_yaml.
  Builder(std::size_t expansion_limit, std::vector<RepeatedKey>* repeated)
      : expansion_left_(expansion_limit), repeated_(repeated) {}

  // The last document.
  json take() {
    if (!document_.is_null()) ++taken_;
    return std::move(document_);
  }
  // Where that document begins: its `---` if it has one.
  YAML::Mark document_mark() const { return document_mark_; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  struct Node {
    json value;
    std::size_t weight = 1;  // nodes plus bytes of text, including this one
    std::size_t height = 0;  // levels of collections below this one
  };
  // An open sequence or mapping.
  struct Frame {
    Node node;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    bool block;  // not in brackets
    YAML::Mark key_mark{};
    bool has_key = false;  // of a mapping; the value comes next
    std::string key{};
    bool merge = false;            // that key is `<<`
    std::set<std::string> keys{};  // of this mapping itself, not from a merge
  };

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YAML::EmitterStyle::value style,
            json empty);
  void close();
  bool expects_key() const;
  void add_scalar(const YAML::Mark& mark, YAML::anchor_t anchor, json scalar);
  void add_key(const YAML::Mark& mark, std::string key);
  void repeat(const YAML::Mark& mark, const std::string& key);
  void add_value(const YAML::Mark& mark, Node node);

  std::vector<Frame> open_;
  std::map<YAML::anchor_t, Node> anchors_;  // of this document
  std::size_t expansion_left_;
  std::vector<RepeatedKey>* repeated_;
  std::size_t taken_ = 0;  // non-empty documents
  json document_;
  YAML::Mark document_mark_;
};

void Builder::OnDocumentStart(const YAML::Mark& mark) {
  open_.clear();
  anchors_.clear();
  document_ = nullptr;
  document_mark_ = mark;
}

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  // The parser reads a line without a colon as a key without a value, and gives the value the key's
  // position.
  const bool has_key = !open_.empty() && open_.back().has_key;
  if (has_key && open_.back().block && open_.back().key_mark.pos == mark.pos) {
    refuse(mark, "expected `key: value`");
  }
  add_scalar(mark, anchor, nullptr);
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& text) {
  // The parser turns \N and \_ into single bytes.
  if (!is_utf8(text)) refuse(mark, "an escape is not supported; use \\u and four digits");
  if (expects_key() && is_plain(tag) && text == "<<") {
    open_.back().has_key = true;
    open_.back().key_mark = mark;
    open_.back().merge = true;
    return;
  }
  if (is_plain(tag)) return add_scalar(mark, anchor, yaml::plain_value(text));
  if (tag == "!") return add_scalar(mark, anchor, text);
  add_scalar(mark, anchor, value_or_refuse(mark, yaml::tagged_value(tag, text)));
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) refuse(mark, "an alias is inside the value that it refers to");
  const Node& node = found->second;
  if (node.weight > expansion_left_) refuse(mark, "the aliases expand to too many values");
  expansion_left_ -= node.weight;
  if (open_.size() + node.height > kMaxDepth) refuse(mark, "nested too deeply");
  if (!expects_key()) return add_value(mark, node);
  if (node.value.is_structured()) refuse(mark, "a key must be a single value");
  add_key(mark, value_or_refuse(mark, yaml::key_text(node.value)));
}

void Builder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                              YAML::EmitterStyle::value style) {
  check_collection_tag(mark, tag, "seq");
  open(mark, anchor, style, json::array());
}

void Builder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) {
  check_collection_tag(mark, tag, "map");
  open(mark, anchor, style, json::object());
}

void Builder::open(const YAML::Mark& mark, YAML::anchor_t anchor, YAML::EmitterStyle::value style,
                   json empty) {
  if (expects_key()) refuse(mark, "a key must be a single value");
  if (open_.size() >= kMaxDepth) refuse(mark, "nested too deeply");
  open_.push_back({.node = {.value = std::move(empty)},
                   .mark = mark,
                   .anchor = anchor,
                   .block = style == YAML::EmitterStyle::Block});
}

void Builder::close() {
  Frame closed = std::move(open_.back());
  open_.pop_back();
  if (closed.anchor != YAML::NullAnchor) anchors_[closed.anchor] = closed.node;
  add_value(closed.mark, std::move(closed.node));
}

bool Builder::expects_key() const {
  return !open_.empty() && open_.back().node.value.is_object() && !open_.back().has_key;
}

void Builder::add_scalar(const YAML::Mark& mark, YAML::anchor_t anchor, json scalar) {
  if (expects_key()) {
    std::string key = value_or_refuse(mark, yaml::key_text(scalar));
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {.value = key};
    add_key(mark, std::move(key));
    return;
  }
  Node node{.value = value_or_refuse(mark, yaml::json_value(std::move(scalar)))};
  if (node.value.is_string()) node.weight += node.value.get_ref<const std::string&>().size();
  if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
  add_value(mark, std::move(node));
}

void Builder::add_key(const YAML::Mark& mark, std::string key) {
  Frame& frame = open_.back();
  if (!frame.keys.insert(key).second) repeat(mark, key);
  frame.node.weight += key.size();
  frame.has_key = true;
  frame.key = std::move(key);
  frame.key_mark = mark;
}

void Builder::repeat(const YAML::Mark& mark, const std::string& key) {
  const std::string reason = "the key " + json(key).dump() + " is given twice";
  if (repeated_ == nullptr) refuse(mark, reason);
  if (repeated_->size() == kMostRepeated) return;
  repeated_->push_back({taken_, fail_at(mark.line, mark.column, reason).error().message});
}

void Builder::add_value(const YAML::Mark& mark, Node node) {
  if (open_.empty()) {
    document_ = std::move(node.value);
    return;
  }
  Frame& frame = open_.back();
  frame.node.weight += node.weight;
  frame.node.height = std::max(frame.node.height, node.height + 1);
  if (frame.node.value.is_array()) {
    frame.node.value.push_back(std::move(node.value));
    return;
  }
  if (frame.merge) {
    merge_into(frame.node.value, node.value, mark);
  } else {
    frame.node.value[frame.key] = std::move(node.value);
  }
  frame.has_key = false;
  frame.merge = false;
}

bool starts_with_marker(std::string_view text, int position) {
  const std::size_t begin = std::min(static_cast<std::size_t>(position), text.size());
  return text.substr(begin).starts_with("---");
}

// The parser takes the end of the text for the end of a quote, unless a document end comes first. A
// text with a visible end is unchanged: one more line end would change a literal block.
std::string with_document_end(std::string_view text) {
  const bool ends_line = text.ends_with('\n');
  if (!ends_line && !text.ends_with(' ') && !text.ends_with('\t')) return std::string(text);
  return std::string(text) + (ends_line ? "...\n" : "\n...\n");
}

std::string explain(std::string_view text, const YAML::Exception& error) {
  const auto position = static_cast<std::size_t>(error.mark.pos);
  if (position >= text.size()) return "the text ends within a value";
  std::string_view line = text.substr(position == 0 ? 0 : text.rfind('\n', position - 1) + 1);
  line = line.substr(0, line.find_first_not_of(" \t"));
  if (line.contains('\t')) return "a line is indented with a tab; use spaces";
  if (error.msg == YAML::ErrorMsg::MAP_VALUE) {
    return "unexpected key: is a colon missing on the line before, or is a `: ` not quoted?";
  }
  return error.msg;
}

}  // namespace

Result<std::vector<json>> parse_yaml(std::string_view text, std::vector<RepeatedKey>* repeated) {
  const Result<std::string> clean = clean_text(text);
  if (!clean) return std::unexpected(clean.error());
  if (auto value = parse_json(*clean)) return std::vector{*std::move(value)};
  std::vector<json> documents;
  try {
    std::istringstream in(with_document_end(*clean));
    YAML::Parser parser(in);
    Builder builder(std::max(kMinExpansion, kExpansionFactor * clean->size()), repeated);
    for (bool first = true; parser.HandleNextDocument(builder); first = false) {
      const YAML::Mark mark = builder.document_mark();
      // Text after the end of a document would otherwise be read as another document.
      if (!first && !starts_with_marker(*clean, mark.pos)) {
        return fail_at(mark.line, mark.column, "a document must end before this; expected ---");
      }
      json document = builder.take();
      if (!document.is_null()) documents.push_back(std::move(document));
    }
  } catch (const YAML::Exception& error) {
    return fail_at(error.mark.line, error.mark.column, explain(*clean, error));
  }
  return documents;
}

}  // namespace mc
