#include "common/base/shell.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "common/base/text.h"

namespace mc {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr int kMostDepth = 100;
constexpr std::size_t kMostReadings = 16;

bool is_one_of(char c, std::string_view set) { return set.contains(c); }

// Finds the last character of quotes and substitutions, as in POSIX (Shell Command Language, 2.2
// and 2.6); npos without one. Each unterminated quote costs a scan of the rest of the text, and
// `$((` is read as an expression and, if it is none, again as commands, at each level of nesting:
// hence no more than kMostReadings of the whole text.
class Ends {
 public:
  explicit Ends(std::string_view text) : text_(text), left_(kMostReadings * text.size()) {}

  // Of the single quote at `at`.
  std::size_t single_quote(std::size_t at) {
    const std::size_t end = text_.find('\'', at + 1);
    read(std::min(end, text_.size()) - at);
    return end;
  }

  // Of the double quote at `at`.
  std::size_t double_quote(std::size_t at) {
    for (++at; at < text_.size() && !exhausted(); ++at) {
      read(1);
      if (text_[at] == '"') return at;
      if (text_[at] == '\\') {
        ++at;
      } else if (is_one_of(text_[at], "`$")) {
        if (const std::size_t end = substitution(at); end != npos) at = end;
      }
    }
    return npos;
  }

  // Of the $(...), ${...} or `...` that begins at `at`.
  std::size_t substitution(std::size_t at) {
    if (exhausted() || depth_ == kMostDepth) return npos;
    ++depth_;
    const std::size_t end = substitution_of_kind(at);
    --depth_;
    return end;
  }

 private:
  bool exhausted() const { return left_ == 0; }
  void read(std::size_t characters) { left_ -= std::min(left_, characters); }

  std::size_t substitution_of_kind(std::size_t at) {
    if (text_[at] == '`') return backquote(at);
    const std::string_view rest = text_.substr(at + 1);
    if (rest.starts_with("((")) {
      const std::size_t inner = group(at + 3, '(', ')');
      if (inner != npos && text_.substr(inner + 1).starts_with(')')) return inner + 1;
    }
    if (rest.starts_with('(')) return command(at + 2);
    if (rest.starts_with('{')) return group(at + 2, '{', '}');
    return npos;  // not a substitution
  }

  std::size_t backquote(std::size_t at) {
    for (++at; at < text_.size(); ++at) {
      read(1);
      if (text_[at] == '`') return at;
      if (text_[at] == '\\') ++at;
    }
    return npos;
  }

  // The end of the quote or substitution at `at`; for a backslash the next character, for any other
  // character `at` itself.
  std::size_t skip(std::size_t at) {
    if (exhausted()) return npos;
    switch (text_[at]) {
      case '\\':
        return at + 1;
      case '\'':
        return single_quote(at);
      case '"':
        return double_quote(at);
      case '`':
        return substitution(at);
      case '$':
        return text_.substr(at + 1).starts_with('(') || text_.substr(at + 1).starts_with('{')
                   ? substitution(at)
                   : at;
      default:
        return at;
    }
  }

  // Where the group opened by `open` before `at` closes.
  std::size_t group(std::size_t at, char open, char close) {
    for (int nested = 1; at < text_.size(); ++at) {
      read(1);
      if (text_[at] == open) ++nested;
      if (text_[at] == close && --nested == 0) return at;
      at = skip(at);
      if (at == npos) return npos;
    }
    return npos;
  }

  std::size_t command(std::size_t at);

  std::string_view text_;
  std::size_t left_;  // characters to read
  int depth_ = 0;
};

// Reads the commands of a $(...) up to its end: a `)` may also end a pattern of `case`, or be in a
// comment or a here-document.
class CommandReader {
 public:
  explicit CommandReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  // The position of the next character that may be a quote, a substitution or the end.
  std::size_t at() const { return at_; }
  bool done() const { return at_ >= text_.size(); }
  bool ended() const { return ended_; }

  // Skips a quote or substitution, or an escaped character, that ends at `end`.
  void skipped(std::size_t end) {
    at_ = end + 1;
    in_word_ = true;
    command_next_ = false;
  }

  void step() {
    const char c = text_[at_];
    if (is_one_of(c, kBlanks) || is_one_of(c, ";&|<>()")) return delimiter(c);
    if (c == '#' && !in_word_) return comment();
    if (!in_word_ && c != '$') return word();
    skipped(at_);
  }

 private:
  struct Case {
    int depth;
    bool has_patterns;  // `in` was read
  };

  void delimiter(char c) {
    in_word_ = false;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<<<")) {  // a here-string, on the same line
      at_ += 3;
      return;
    }
    if (rest.starts_with("<<")) return here_document();
    if (c == ')') return close();
    if (c == '(') ++depth_;
    if (!is_one_of(c, " \t\r<>")) command_next_ = true;
    ++at_;
    if (c == '\n') here_document_bodies();
  }

  void close() {
    const bool ends_pattern = !cases_.empty() && cases_.back().depth == depth_;
    if (!ends_pattern && depth_ == 0) {
      ended_ = true;
      return;
    }
    if (!ends_pattern) --depth_;
    command_next_ = true;
    ++at_;
  }

  void word() {
    const std::size_t end =
        std::min(text_.find_first_of(" \t\r\n;&|<>()'\"`$\\", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    const bool whole = end == text_.size() || !is_one_of(text_[end], "'\"`$\\");
    const bool is_command = std::exchange(command_next_, false);
    in_word_ = true;
    at_ = end;
    if (!whole) return;
    if (word == "in" && !cases_.empty() && !cases_.back().has_patterns) {
      cases_.back().has_patterns = command_next_ = true;
    } else if (is_command && word == "case") {
      cases_.push_back({depth_, false});
    } else if (is_command && word == "esac" && !cases_.empty() && cases_.back().depth == depth_) {
      cases_.pop_back();
    } else if (is_command) {
      for (const std::string_view leads :
           {"then", "do", "else", "elif", "if", "while", "until", "!", "{", "time"}) {
        command_next_ = command_next_ || word == leads;
      }
    }
  }

  void comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void here_document() {
    at_ += 2;
    const bool tabs = text_.substr(at_).starts_with('-');
    at_ = std::min(text_.find_first_not_of(" \t", at_ + (tabs ? 1 : 0)), text_.size());
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n;&|<>()", at_), text_.size());
    std::string word(text_.substr(at_, end - at_));
    std::erase_if(word, [](char c) { return is_one_of(c, "'\"\\"); });
    waiting_.emplace_back(std::move(word), tabs);
    at_ = end;
  }

  void here_document_bodies() {
    for (const auto& [word, tabs] : std::exchange(waiting_, {})) {
      while (!done()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, end - at_);
        at_ = std::min(end + 1, text_.size());
        while (tabs && line.starts_with('\t')) line.remove_prefix(1);
        if (line == word) break;
      }
    }
  }

  std::string_view text_;
  std::size_t at_;
  int depth_ = 0;             // of ( )
  bool command_next_ = true;  // the next word may be a reserved word
  bool in_word_ = false;
  bool ended_ = false;
  std::vector<Case> cases_;
  std::vector<std::pair<std::string, bool>> waiting_;  // here-documents of this line
};

std::size_t Ends::command(std::size_t at) {
  CommandReader reader(text_, at);
  while (!reader.done()) {
    const std::size_t here = reader.at();
    const std::size_t end = skip(here);
    if (end == npos) return npos;
    if (end != here) {
      reader.skipped(end);
      continue;
    }
    reader.step();
    if (reader.ended()) return reader.at();
    read(reader.at() - here);
  }
  return npos;
}

bool begins_variable(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const auto c = static_cast<unsigned char>(text[at]);
  return std::isalnum(c) != 0 || is_one_of(text[at], "_?!$-@*#");
}

class WordWriter {
 public:
  explicit WordWriter(std::string_view text) : text_(text), ends_(text) {}

  ShellWords write() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void copy_to(std::size_t last) {
    out_.text.append(text_.substr(at_, last - at_ + 1));
    at_ = last + 1;
  }
  void literal() {
    out_.text += '\\';
    copy_to(at_);
  }
  void unclosed(std::string_view what) {
    if (out_.unclosed.empty()) out_.unclosed = what;
    literal();
  }
  void dollar_or_backquote() {
    const std::string_view rest = text_.substr(at_);
    if (const std::size_t end = ends_.substitution(at_); end != npos) {
      copy_to(end);
    } else if (rest.starts_with("$(") || rest.starts_with("${")) {
      unclosed(rest.substr(0, 2));
    } else if (rest.starts_with('`')) {
      unclosed("`");
    } else if (begins_variable(text_, at_ + 1)) {
      copy_to(at_ + 1);
    } else {
      literal();
    }
  }
  void backslash() {
    const std::string_view rest = text_.substr(at_ + 1);
    if (rest.starts_with('\n')) {  // a continued line
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
    const std::size_t end = ends_.double_quote(at_);
    if (end == npos) return unclosed("\"");
    copy_to(at_);
    while (at_ < end) {
      if (is_one_of(text_[at_], "$`")) {
        dollar_or_backquote();
      } else {
        copy_to(text_[at_] == '\\' ? at_ + 1 : at_);
      }
    }
    if (at_ <= end) return copy_to(end);
    // A substitution that contains a here-document has included the closing quote: it is closed
    // afterwards.
    if (out_.unclosed.empty()) out_.unclosed = "\"";
    out_.text += '"';
  }
  void single_quoted() {
    const std::size_t end = ends_.single_quote(at_);
    end == npos ? unclosed("'") : copy_to(end);
  }
  // A shell acts on every operator. It is probably intended at the start or end of a word, unlike
  // those inside a URL or a formula.
  void note_operator() {
    if (!out_.literal_operator.empty() || at_ < run_end_) return;
    const std::size_t end = std::min(text_.find_first_not_of("&|;<>", at_), text_.size());
    run_end_ = end;
    const std::size_t before = text_.find_last_not_of("0123456789", at_ == 0 ? 0 : at_ - 1);
    const bool begins =
        at_ == 0 || is_one_of(text_[at_ - 1], kBlanks) ||
        (is_one_of(text_[at_], "<>") && (before == npos || is_one_of(text_[before], kBlanks)));
    if (begins || end == text_.size() || is_one_of(text_[end], kBlanks)) {
      out_.literal_operator = text_.substr(at_, end - at_);
    }
  }
  // A newline between words.
  void note_line() {
    if (text_[at_] == '\n') {
      after_newline_ = !is_first_;
    } else if (!is_one_of(text_[at_], kBlanks)) {
      out_.has_lines = out_.has_lines || after_newline_;
      is_first_ = false;
    }
  }
  void step() {
    note_line();
    switch (text_[at_]) {
      case '\n':
      case '\r':
        out_.text += ' ';
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
      case ';':
      case '&':
      case '|':
      case '<':
      case '>':
        note_operator();
        literal();
        break;
      default:
        is_one_of(text_[at_], "()#{}") ? literal() : copy_to(at_);
    }
  }

  std::string_view text_;
  Ends ends_;
  std::size_t at_ = 0;
  std::size_t run_end_ = 0;  // of the last run of operators, which is noted once
  bool is_first_ = true;     // no word has begun
  bool after_newline_ = false;
  ShellWords out_;
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

std::string shell_word(std::string_view value) {
  const bool is_plain = !value.empty() && std::ranges::all_of(value, [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("%+,-./:=@_").contains(c);
  });
  return is_plain ? std::string(value) : shell_quote(value);
}

ShellWords shell_words(std::string_view command) {
  const std::string text = without_nul(command);
  return WordWriter(text).write();
}

std::string without_expansion(std::string_view value) {
  if (value.find("$(") == npos && value.find("$$") == npos) return std::string(value);
  std::string out;
  for (const char c : value) out.append(c == '$' ? 2 : 1, c);
  return out;
}

}  // namespace mc
