#include "services/controller/render/shell.h"

#include <gtest/gtest.h>

#include "tests/services/controller/render/pod_dir.h"

namespace mc::render {
namespace {

struct Words {
  const char* name;
  const char* command;
  const char* read;  // what a shell makes of it, each word in brackets; X is `a b`
};

const Words kWords[] = {
    {"plain words", "lmp -v x 2 -in in.reaxc", "[lmp][-v][x][2][-in][in.reaxc]"},
    {"nothing", "", ""},
    {"blanks and newlines separate", "echo\thello \n world\r\n", "[echo][hello][world]"},
    {"a continued line", "echo a \\\n  b \\\r\n c", "[echo][a][b][c]"},
    {"double quotes", "echo \"two words\" x", "[echo][two words][x]"},
    {"single quotes hide variables", "echo '$X \"y\"'", "[echo][$X \"y\"]"},
    {"quotes inside a word", "a\"b c\"'d e'f", "[ab cd ef]"},
    {"a variable is split", "echo $X", "[echo][a][b]"},
    {"a quoted variable is not", "echo \"$X\" \"${X}c\"", "[echo][a b][a bc]"},
    {"a substitution", "echo $(echo one; echo two) end", "[echo][one][two][end]"},
    {"a substitution in quotes", "echo \"$(echo \"a  )b\")\"", "[echo][a  )b]"},
    {"backquotes", "echo `echo one`", "[echo][one]"},
    {"arithmetic", "echo $((1 + 2))", "[echo][3]"},
    {"operators are literal", "a && b; c | d > e < f & (g)",
     "[a][&&][b;][c][|][d][>][e][<][f][&][(g)]"},
    {"a comment sign and braces are literal", "a #b {c,d} e#f", "[a][#b][{c,d}][e#f]"},
    {"a quote without an end is literal", "echo it's", "[echo][it's]"},
    {"a double quote without an end is literal", "echo 5\" pipe", "[echo][5\"][pipe]"},
    {"a substitution without an end is literal", "echo $(a ${b `c", "[echo][$(a][${b][`c]"},
    {"such a one in quotes too", "echo \"a $(b\"", "[echo][a $(b]"},
    {"a dollar alone is literal", "cost 5$ $ $'x'", "[cost][5$][$][$x]"},
    {"escapes", "a\\ b \\$X \\\"c\\\" \\", "[a b][$X][\"c\"][\\]"},
    {"escapes in double quotes", R"(echo "\$X \"q\" \\ \n")", R"([echo][$X "q" \ \n])"},
};

TEST(ShellWords, AreWhatEveryShellReads) {
  for (const Words& c : kWords) {
    for (const char* shell : {"sh", "bash"}) {
      SCOPED_TRACE(std::string(c.name) + ", in " + shell + ": " + shell_words(c.command));
      const std::string script =
          "X='a b'\nset -- " + shell_words(c.command) + "\n[ $# -eq 0 ] || printf '[%s]' \"$@\"";
      const test::Outcome outcome =
          test::run_shell(std::string(shell) + " -c " + shell_quote(script), {});
      EXPECT_EQ(outcome.out, c.read);
      EXPECT_EQ(outcome.err, "");
    }
  }
}

TEST(ShellQuote, GivesBackAnyValue) {
  for (const std::string value : {"", "plain", "it's", "'", "''", "$(touch /x) `y` \"z\" \\",
                                  "two\nlines\n", "* ? [a] ~ ; & | !"}) {
    EXPECT_EQ(test::run_shell("printf %s " + shell_quote(value), {}).out, value);
  }
  EXPECT_EQ(shell_quote(std::string_view("a\0b", 3)), "'ab'");
}

TEST(WithoutExpansion, DoublesDollarsOnlyWhereKubeletWouldRead) {
  EXPECT_EQ(without_expansion("$HOME and $5"), "$HOME and $5");
  EXPECT_EQ(without_expansion("$(date)"), "$$(date)");
  EXPECT_EQ(without_expansion("$$ $HOME"), "$$$$ $$HOME");
}

}  // namespace
}  // namespace mc::render
