#pragma once
#include <string>
#include <string_view>

// Values and command lines as a POSIX shell reads them.
namespace mc {

// One word that a shell reads as `value`. NUL bytes, which a shell cannot hold, are removed.
std::string shell_quote(std::string_view value);

// The same for users to read: without quotes if a shell reads the value as it is wherever it
// stands.
std::string shell_word(std::string_view value);

// A command line of a MiniCluster: one program and its arguments.
struct ShellWords {
  // Words for a shell to evaluate: variables, $(...), backquotes, quotes and globs work as in any
  // shell; newlines separate words like blanks; operators (; & | < > ( ) # {) are literal, and so
  // is an unterminated quote or substitution. The contents of a substitution are unchanged, so a
  // shell can find a syntax error only there.
  std::string text;
  // The first operator at the start or end of a word, as in `cd /data && run`; "" if none.
  std::string literal_operator;
  // Words are on several lines, other than those continued with a backslash.
  bool has_lines = false;
  // The first unterminated quote or substitution: ', ", `, $( or ${; "" if none.
  std::string unclosed;
};

// Linear in the command's length. Substitutions nested more than 100 deep are literal, and so are
// those after as much reading as 16 times the whole text, for example by 16 unterminated ones:
// `$((...) ...)`, which is read twice, may be nested three deep.
ShellWords shell_words(std::string_view command);

// Escapes a value for a container's env or command, so that the kubelet's $(VAR) expansion leaves
// it unchanged.
std::string without_expansion(std::string_view value);

}  // namespace mc
