#include "common/base/shell.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/cpu_time.h"
#include "tests/support/process.h"

namespace mc {
namespace {

struct Words {
  const char* name;
  const char* command;
  const char* read;  // the words that a shell reads, each in brackets; X is `a b`
};

const Words kQuotedWords[] = {
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
    {"case in a substitution", "echo $(case a in a) echo x;; esac) y", "[echo][x][y]"},
    {"case with more patterns", "echo $(case b in (a) echo x;; b|c) (echo y);; esac; echo z)",
     "[echo][y][z]"},
    {"case in case", "echo $(case a in a) case b in b) echo x;; esac;; esac)", "[echo][x]"},
    {"the word case", "echo $(echo case) $(echo a in b) $(echo esac)",
     "[echo][case][a][in][b][esac]"},
    {"a comment in a substitution", "echo $(echo x # it's (\n) y", "[echo][x][y]"},
    {"a here-document in a substitution", "echo $(cat <<'END'\na ) b '\nEND\n) y",
     "[echo][a][)][b]['][y]"},
    {"arithmetic with a shift", "echo $((1 << 2)) $((2 * (1 + 2)))", "[echo][4][6]"},
    {"a group at the begin of a substitution", "echo $( (echo a); (echo b))", "[echo][a][b]"},
    {"a dollar alone in a substitution", "echo $(echo 5$ $)", "[echo][5$][$]"},
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
  for (const Words& c : kQuotedWords) {
    for (const char* shell : {"sh", "bash"}) {
      const std::string words = shell_words(c.command).text;
      SCOPED_TRACE(std::string(c.name) + ", in " + shell + ": " + words);
      const std::string script =
          "X='a b'\nset -- " + words + "\n[ $# -eq 0 ] || printf '[%s]' \"$@\"";
      const test::Outcome outcome = test::run({shell, "-c", script});
      EXPECT_EQ(outcome.out, c.read);
      EXPECT_EQ(outcome.err, "");
    }
  }
}

TEST(ShellWords, NameTheFirstOperatorThatAShellWouldActOn) {
  const struct {
    const char* command;
    const char* found;
  } cases[] = {{"cd /data && ./run.sh", "&&"},
               {"a; b", ";"},
               {"a | b > c", "|"},
               {"a >out", ">"},
               {"a 2>&1", ">&"},
               {"a &", "&"},
               {"> out", ">"},
               {"1>out", ">"},
               {"curl http://x/?a=1&b=2", ""},
               {"f a;b x|y", ""},
               {"flux jobs -o {id}", ""},
               {"sh -c 'a && b'", ""},
               {"echo $(a && b) \"c; d\"", ""},
               {"python -c print(1)", ""}};
  for (const auto& c : cases)
    EXPECT_EQ(shell_words(c.command).literal_operator, c.found) << c.command;
}

TEST(ShellWords, SayWhetherTheyAreOnSeveralLines) {
  const struct {
    const char* command;
    bool has_lines;
  } cases[] = {{"flux submit hostname\nflux jobs -a\n", true},
               {"a\r\nb", true},
               {"a\n\n\n  'b'", true},
               {"a $x\n$y", true},
               {"lmp -v x 2 -in in.lj\n", false},
               {"\n\n a b\n \n", false},
               {"lmp -v x 2 \\\n  -in in.lj \\\n  -nocite", false},
               {"sh -c 'a\nb'", false},
               {"sh -c \"a\nb\" $(c\nd) `e\nf`", false},
               {"", false}};
  for (const auto& c : cases) EXPECT_EQ(shell_words(c.command).has_lines, c.has_lines) << c.command;
}

TEST(ShellWords, NameTheFirstThatHasNoEnd) {
  const struct {
    const char* command;
    const char* found;
  } cases[] = {{"echo it's", "'"},  {"echo 5\" pipe", "\""},  {"echo `a", "`"},
               {"echo $(a", "$("},  {"echo ${a", "${"},       {"echo \"$(a\"", "$("},
               {"echo $a 'b'", ""}, {"echo 5$ \\' \\\"", ""}, {"echo $(cat <<<x\n) y", ""}};
  for (const auto& c : cases) EXPECT_EQ(shell_words(c.command).unclosed, c.found) << c.command;
}

TEST(ShellWords, TakeTimeInProportionToTheirLength) {
  const struct {
    std::string begin, repeat, end;
  } cases[] = {{"", "$(", ""},
               {"", "${", ""},
               {"", "\"$(", ""},
               {"", "`", ""},
               {"", "'\"", ""},
               {"", "$((", ""},
               {"", "$(case a in ", ""},
               {"", "$(a <<b\n", ""},
               {"a", "<", "b"},
               {"a", "<1", "b"},
               // An arithmetic expression would end far behind the substitution.
               {"", "$((#((\\''\n)) ", "' ) ) ) b"},
               {"", "$((#((\\''\n)) ", ""},
               {"", "$((#(((\n))", ""},
               {"", "$((#\"\n))", ""}};
  for (const auto& [begin, repeat, end] : cases) {
    std::string command = begin;
    while (command.size() < 500'000) command += repeat;
    command += end;
    std::size_t size = 0;
    EXPECT_LT(test::cpu_seconds([&] { size = shell_words(command).text.size(); }), 5) << repeat;
    EXPECT_GE(size, command.size() / 2) << repeat;
  }
}

TEST(ShellWords, TakeTimeInProportionToTheirLengthHoweverDeepSubstitutionsAreNested) {
  const std::string text(500'000, 'a'), lines(500'000, '\n');
  const struct {
    std::string begin, inner, end;
  } cases[] = {{"\"$((", text, "\") )\""},
               {"$((", text, ") )"},
               {"${a:-$((", text, ") )}"},
               {"$((#(((", "\n" + text, "))"},
               {"$((#(((", "\n\"" + text + "\"", "))"},
               {"$((#(((", "\n`" + text + "`", "))"},
               {"$((<<E\n", lines, "\nE\n) )"}};
  for (const auto& [begin, inner, end] : cases) {
    std::string command = inner;
    for (int depth = 0; depth < 98; ++depth) command.insert(0, begin).append(end);
    std::size_t size = 0;
    EXPECT_LT(test::cpu_seconds([&] { size = shell_words(command).text.size(); }), 5) << begin;
    EXPECT_GE(size, command.size() / 2) << begin;
  }
}

TEST(ShellQuote, GivesBackAnyValue) {
  for (const std::string value : {"", "plain", "it's", "'", "''", "$(touch /x) `y` \"z\" \\",
                                  "two\nlines\n", "* ? [a] ~ ; & | !"}) {
    EXPECT_EQ(test::run({"sh", "-c", "printf %s " + shell_quote(value)}).out, value);
  }
  EXPECT_EQ(shell_quote(std::string_view("a\0b", 3)), "'ab'");
  EXPECT_EQ(shell_word("--context=a@b:6443/c_1,2.x+%"), "--context=a@b:6443/c_1,2.x+%");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("~/x"), "'~/x'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(WithoutExpansion, DoublesDollarsOnlyWhereKubeletWouldRead) {
  EXPECT_EQ(without_expansion("$HOME and $5"), "$HOME and $5");
  EXPECT_EQ(without_expansion("$(date)"), "$$(date)");
  EXPECT_EQ(without_expansion("$$ $HOME"), "$$$$ $$HOME");
}

TEST(WithoutExpansion, TakesTimeInProportionToTheLength) {
  const auto seconds_for = [](std::size_t dollars) {
    std::string value;
    for (std::size_t i = 0; i < dollars; ++i) value += "$(";
    return test::cpu_seconds([&] { EXPECT_EQ(without_expansion(value).size(), 3 * dollars); });
  };
  // 8 times the input takes 8 times as long; quadratic time would take 64 times as long.
  EXPECT_LT(seconds_for(400'000), 24 * seconds_for(50'000));
}

}  // namespace
}  // namespace mc
