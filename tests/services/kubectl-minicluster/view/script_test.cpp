#include "services/kubectl-minicluster/view/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

TEST(Script, IsAWordThatNoMiniClusterCanBeCalled) {
  for (const char* const file : {"job.sh", "./job", "/opt/job", "a.b", "..", "scripts/job"})
    EXPECT_TRUE(names_script(file)) << file;
  for (const char* const name : {"", "lammps", "lammps-2", "-"})
    EXPECT_FALSE(names_script(name)) << name;
}

TEST(Script, IsTextInUtf8) {
  EXPECT_EQ(why_no_script("#!/bin/sh\necho \xc3\xbc\n"), "");
  EXPECT_EQ(why_no_script(" \n"), "the file is empty");
  EXPECT_EQ(why_no_script("\xff\xfe"), "the file is not text in UTF-8");
  EXPECT_EQ(why_no_script(std::string("a\0b", 3)), "the file is not text: it has NUL bytes");
}

TEST(Script, ItsTitleIsTheNameOfTheFile) {
  EXPECT_EQ(title_of({.file = "/a/b.c/my.job.sh"}), "my.job");
  EXPECT_EQ(title_of({.file = "./job"}), "job");
}

struct Read {
  std::size_t line;
  Words words;

  bool operator==(const Read&) const = default;
};

std::vector<Read> read(const std::string& text) {
  const auto found = directives_of(text);
  EXPECT_TRUE(found) << found.error().why;
  std::vector<Read> out;
  for (const auto& [line, words] : found.value_or(std::vector<ScriptDirective>{}))
    out.push_back({line, words});
  return out;
}

TEST(Directives, AreThoseOfSlurmAndOfFlux) {
  EXPECT_THAT(read("#!/bin/bash\n"
                   "#SBATCH -N 4 --time=5:30\n"
                   "\n"
                   "# a comment\n"
                   "#flux: -n 16\n"
                   "# FLUX:\t--env=A=1\r\n"
                   "#SBATCH\n"),
              ElementsAre(Read{2, {"-N", "4", "--time=5:30"}}, Read{5, {"-n", "16"}},
                          Read{6, {"--env=A=1"}}, Read{7, {}}));
}

TEST(Directives, OfSlurmEndBeforeTheFirstCommand) {
  EXPECT_THAT(read("#SBATCH -N 4\nmodule load x\n#SBATCH -N 5\n"),
              ElementsAre(Read{1, {"-N", "4"}}));
  EXPECT_THAT(read("import os\n#SBATCH -N 5"), IsEmpty());
}

TEST(Directives, OfSlurmThatAreTooLateAreFound) {
  EXPECT_EQ(ignored_directive_in("#SBATCH -N 4\nmodule load x\n\n#SBATCH -N 5\n#SBATCH\n"), 4U);
  EXPECT_EQ(ignored_directive_in("#SBATCH -N 4\n# SBATCH\nmodule load x\n#SBATCHES\n#flux: -N 5"),
            std::nullopt);
}

// RFC 36, as flux batch reads it.
TEST(Directives, OfFluxMayFollowCommandsButHaveNoneBetween) {
  EXPECT_THAT(read("#SBATCH -t 5\nmodule load x\n#flux: -N 4\n\n# a comment\n#flux: -n 8\n./a\n"),
              ElementsAre(Read{1, {"-t", "5"}}, Read{3, {"-N", "4"}}, Read{6, {"-n", "8"}}));
  const auto found = directives_of("a\n#flux: -N 4\nb\nc\n#FLUX: -N 5\n");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().line, 5U);
  EXPECT_EQ(found.error().why, "the #flux: lines have a command between them, in line 3");
}

// A script may write another one, for `flux batch`: that one's directives are not its own.
TEST(Directives, AreNotWhatAHereDocumentHolds) {
  for (const char* opens : {"cat >b <<END", "cat <<'END' >b", "cat <<-\"END\"", "x <<\\END;"}) {
    const std::string text = std::string(opens) + "\n#flux: -N 2\n#SBATCH -N 3\nsrun x\nEND\n";
    EXPECT_THAT(read(text), IsEmpty()) << opens;
    EXPECT_EQ(ignored_directive_in(text), std::nullopt) << opens;
    EXPECT_FALSE(foreign_launch_in(text)) << opens;
    EXPECT_THAT(read(text + "#flux: -N 4\n"), ElementsAre(Read{6, {"-N", "4"}})) << opens;
  }
  for (const char* command : {"x=$((1<<n))", "grep a <<<END", "cat <<END", "cat <<"}) {
    EXPECT_THAT(read(std::string(command) + "\n#flux: -N 4\n"), ElementsAre(Read{2, {"-N", "4"}}))
        << command;
  }
}

TEST(Directives, AreNothingElse) {
  EXPECT_THAT(
      read("#!/bin/sh\n##SBATCH -N 4\n# SBATCH -N 4\n #SBATCH -N 4\n#SBATCHES\n#fluxion: x\n"
           "#flux -N 4\n#PBS -l nodes=4\n"),
      IsEmpty());
  EXPECT_THAT(read(""), IsEmpty());
}

TEST(Directives, AreSplitAsAShellSplitsThem) {
  EXPECT_THAT(read(R"(#SBATCH --env=A="b c" 'd "e' \"f "g\"h\i" '' # -N 4)"),
              ElementsAre(Read{1, {"--env=A=b c", "d \"e", "\"f", "g\"h\\i", ""}}));
  EXPECT_THAT(read("#SBATCH -J $HOME *"), ElementsAre(Read{1, {"-J", "$HOME", "*"}}));
}

// As for sbatch and flux batch.
TEST(Directives, EndAtAnUnquotedNumberSignAlsoWithinAWord) {
  EXPECT_THAT(read("#SBATCH -t 30#minutes -N 4"), ElementsAre(Read{1, {"-t", "30"}}));
  EXPECT_THAT(read(R"(#SBATCH -J "a#1" -D b\#2)"),
              ElementsAre(Read{1, {"-J", "a#1", "-D", "b#2"}}));
}

TEST(Directives, OfSlurmNeedNoBlankBeforeAFlag) {
  EXPECT_THAT(read("#SBATCH--nodes=4"), ElementsAre(Read{1, {"--nodes=4"}}));
}

TEST(Directives, AQuoteThatIsOpenIsAMistake) {
  const auto found = directives_of("#!/bin/sh\n#SBATCH -J \"a\n");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().line, 2U);
  EXPECT_EQ(found.error().why, "a quote is not closed");
}

// Runs it as the pods' scripts do, and expects no file to be left.
test::Outcome outcome_of(const Script& script, const Words& arguments = {},
                         const std::string& input = "") {
  const test::TemporaryFolder folder, temporary;
  const std::string file = folder.path() / "script.sh";
  std::ofstream(file) << runnable(script, arguments);
  test::Outcome out =
      test::run({"sh", file}, {.input = input, .environment = {{"TMPDIR", temporary.path()}}});
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  return out;
}

TEST(Runnable, AShellScriptIsAsItIs) {
  for (const char* const text :
       {"echo a\n", "#!/bin/sh\necho a\n", "#! /usr/bin/env bash\necho a", "#!/bin/dash\n"}) {
    EXPECT_EQ(runnable({"x", text}, {}), text);
  }
}

TEST(Runnable, ArgumentsArriveAsTheyAre) {
  const Words words = {"", "a b", "$HOME", "it's", "*", "-n", "--", "x\ny", "\\n", "ü"};
  std::string expected;
  for (const std::string& word : words) expected += "[" + word + "]";
  const std::string print = "for word in \"$@\"; do printf '[%s]' \"$word\"; done\n";
  for (const std::string first : {"", "#!/bin/sh\n", "#!/bin/bash -e\n"}) {
    EXPECT_EQ(outcome_of({"print.sh", first + print}, words).out, expected) << first;
  }
  EXPECT_EQ(runnable({"x", "#!/bin/sh"}, {"a"}), "#!/bin/sh\nset -- 'a'\n");
}

TEST(Runnable, ItsFirstLineDecidesWhatRunsIt) {
  const test::Outcome strict =
      outcome_of({"a/it's.sh", "#!/bin/bash -e\necho ${0##*/}\n(exit 7)\necho no"});
  EXPECT_EQ(strict.code, 7) << strict.err;
  EXPECT_EQ(strict.out, "it's.sh\n");
  const std::string text = "#!/bin/cat\nEND_OF_SCRIPT\n$HOME `id` \\n\nEND_OF_SCRIPT_2\n";
  EXPECT_EQ(outcome_of({"x", text}).out, text);
  EXPECT_EQ(outcome_of({"x", "#!/usr/bin/env -S bash -c cat"}, {}, "input\n").out, "input\n");
  EXPECT_NE(outcome_of({"x", "#!/nonexistent\n"}).code, 0);
}

TEST(IsBatch, WithDirectives) {
  EXPECT_TRUE(is_batch({.text = "#!/bin/sh\n#SBATCH -N 4\nsrun x\n"}));
  EXPECT_TRUE(is_batch({.text = "#flux: -N4\n"}));
  EXPECT_FALSE(is_batch({.text = "#!/bin/sh\nhostname\n"}));
}

TEST(ForeignLaunch, IsTheFirstWordOfALine) {
  const auto found =
      foreign_launch_in("#!/bin/sh\n#SBATCH -N 4\n# srun\necho srun\n  mpirun ./a\nsrun b\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 5U);
  EXPECT_EQ(found->program, "mpirun");
  EXPECT_FALSE(foreign_launch_in("flux run -n4 mpiexec.sh\nsrun2\n"));
}

}  // namespace
}  // namespace mc::kubectl
