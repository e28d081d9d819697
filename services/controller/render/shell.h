#pragma once
#include <string>
#include <string_view>

// Values and command lines as a POSIX shell reads them.
namespace mc::render {

// One word that a shell reads back as `value`, whatever it holds (a NUL byte, which no shell can
// hold, is left out).
std::string shell_quote(std::string_view value);

// `command` as words that a shell can evaluate: variables, $(...), backquotes, quotes and globs act
// as in any shell; newlines separate words as blanks do; operators (; & | < > ( ) # {) are
// literal, because a command is one program and its arguments. A quote or substitution without an
// end is literal too, so that the result is always well formed.
std::string shell_words(std::string_view command);

// A value for a container's env or command that kubelet's own $(VAR) expansion leaves as it is.
std::string without_expansion(std::string_view value);

}  // namespace mc::render
