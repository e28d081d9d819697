#include "services/controller/render/shell.h"

#include <cctype>

namespace mc::render {
namespace {

constexpr auto npos = std::string_view::npos;

std::size_t substitution_end(std::string_view text, std::size_t at);

// Where the double quote that opened before `at` closes, or npos.
std::size_t double_quote_end(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == '"') return at;
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '`' || text[at] == '$') {
      if (const std::size_t end = substitution_end(text, at); end != npos) at = end;
    }
  }
  return npos;
}

// Where the group that opened with `open` before `at` closes with `close`; quotes hide both.
std::size_t group_end(std::string_view text, std::size_t at, char open, char close) {
  int depth = 1;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (c == '\'' || c == '"') {
      at = c == '"' ? double_quote_end(text, at + 1) : text.find('\'', at + 1);
      if (at == npos) return npos;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return at;
    }
  }
  return npos;
}

// The last character of the $(...), ${...} or `...` that begins at `at`; npos: there is none.
std::size_t substitution_end(std::string_view text, std::size_t at) {
  if (text[at] == '`') {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '`') return i;
      if (text[i] == '\\') ++i;
    }
    return npos;
  }
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (next == '(') return group_end(text, at + 2, '(', ')');
  if (next == '{') return group_end(text, at + 2, '{', '}');
  return npos;
}

bool begins_variable(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const auto c = static_cast<unsigned char>(text[at]);
  return std::isalnum(c) != 0 || std::string_view("_?!$-@*#").find(text[at]) != npos;
}

class WordWriter {
 public:
  explicit WordWriter(std::string_view text) : text_(text) {}

  std::string write() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void copy_to(std::size_t last) {
    out_.append(text_.substr(at_, last - at_ + 1));
    at_ = last + 1;
  }
  void literal() {
    out_ += '\\';
    copy_to(at_);
  }
  void dollar_or_backquote() {
    if (const std::size_t end = substitution_end(text_, at_); end != npos) {
      copy_to(end);
    } else if (text_[at_] == '$' && begins_variable(text_, at_ + 1)) {
      copy_to(at_ + 1);
    } else {
      literal();
    }
  }
  void backslash() {
    const std::string_view rest = text_.substr(at_ + 1);
    if (rest.starts_with("\n")) {  // a continued line
      at_ += 2;
    } else if (rest.starts_with("\r\n")) {
      at_ += 3;
    } else if (rest.empty() || rest[0] == '\0') {
      literal();
    } else {
      copy_to(at_ + 1);
    }
  }
  void double_quoted() {
    const std::size_t end = double_quote_end(text_, at_ + 1);
    if (end == npos) return literal();
    copy_to(at_);
    while (at_ < end) {
      if (text_[at_] == '$' || text_[at_] == '`') {
        dollar_or_backquote();
      } else {
        copy_to(text_[at_] == '\\' ? at_ + 1 : at_);
      }
    }
    copy_to(end);
  }
  void single_quoted() {
    const std::size_t end = text_.find('\'', at_ + 1);
    end == npos ? literal() : copy_to(end);
  }
  void step() {
    switch (text_[at_]) {
      case '\n':
      case '\r':
        out_ += ' ';
        ++at_;
        break;
      case '\\':
        backslash();
        break;
      case '\'':
        single_quoted();
        break;
      case '"':
        double_quoted();
        break;
      case '$':
      case '`':
        dollar_or_backquote();
        break;
      default:
        std::string_view(";&|<>()#{}").find(text_[at_]) == npos ? copy_to(at_) : literal();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

std::string without_nul(std::string_view text) {
  std::string out(text);
  std::erase(out, '\0');
  return out;
}

}  // namespace

std::string shell_quote(std::string_view value) {
  std::string out = "'";
  for (const char c : without_nul(value)) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string shell_words(std::string_view command) {
  const std::string text = without_nul(command);
  return WordWriter(text).write();
}

std::string without_expansion(std::string_view value) {
  std::string out(value);
  if (value.find("$(") == npos && value.find("$$") == npos) return out;
  for (std::size_t at = out.find('$'); at != std::string::npos; at = out.find('$', at + 2)) {
    out.insert(at, 1, '$');
  }
  return out;
}

}  // namespace mc::render
