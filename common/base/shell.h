#pragma once
#include <string>
#include <string_view>

// Values and command lines as a POSIX shell reads them.
namespace mc {

// One word that a shell reads back as `value`, whatever it holds (a NUL byte, which no shell can
// hold, is left out).
std::string shell_quote(std::string_view value);

// A command line of a MiniCluster: one program and its arguments.
struct ShellWords {
  // Words that a shell can evaluate: variables, $(...), backquotes, quotes and globs act as in any
  // shell; newlines separate words as blanks do; operators (; & | < > ( ) # {) are literal. A quote
  // or substitution without an end is literal too. What a substitution holds is handed on as it is,
  // so that only there the shell can find a mistake.
  std::string text;
  // The first operator that stands where a shell would act on it, as in `cd /data && run`; or "".
  std::string literal_operator;
  // The first quote or substitution without an end: ', ", `, $( or ${; or "".
  std::string unclosed;
};

// Takes time in proportion to the command's length. Substitutions more than 100 deep are literal,
// and so are quotes and substitutions after 16 without an end.
ShellWords shell_words(std::string_view command);

// A value for a container's env or command that kubelet's own $(VAR) expansion leaves as it is.
std::string without_expansion(std::string_view value);

}  // namespace mc
