#include "common/base/arguments.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace mc {
namespace {

using Arguments = std::vector<std::string>;

Arguments in_order(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  Arguments out = reversed_arguments(static_cast<int>(arguments.size()), arguments.data());
  return {out.rbegin(), out.rend()};
}

TEST(Arguments, StayAsTheyAre) {
  const Arguments all = {"--a",   "b",  "--c=d", "--e==", "--f=g=", "-h", "-i2",
                         "-jk=l", "m=", "--",    "",      "-",      "=",  "--=n"};
  std::vector<const char*> pointers;
  for (const std::string& one : all) pointers.push_back(one.c_str());
  EXPECT_EQ(in_order(pointers), all);
  EXPECT_EQ(in_order({}), Arguments{});
}

TEST(Arguments, AFlagWithNothingAfterItsEqualsSignHasAnEmptyValue) {
  EXPECT_EQ(in_order({"--a=", "--b"}), (Arguments{"--a", "", "--b"}));
  EXPECT_EQ(in_order({"x", "--a="}), (Arguments{"x", "--a", ""}));
}

TEST(Arguments, AShortFlagMayHaveAnEqualsSign) {
  EXPECT_EQ(in_order({"-v=2", "-f=a=b", "-o="}), (Arguments{"-v", "2", "-f", "a=b", "-o", ""}));
}

// What `program` says about its arguments.
std::string mistake(std::vector<const char*> arguments) {
  CLI::App app("", "program");
  int number = 0;
  bool wanted = false, other = false;
  std::string word;
  std::chrono::milliseconds time(1000);
  app.add_option("--number", number)->check(CLI::Range(1, 5).description(""));
  app.add_option("--word", word)->check(CLI::IsMember({"a", "b"}));
  auto* const one = app.add_flag("--one", wanted);
  app.add_flag("--other", other)->excludes(one);
  add_duration(app, "--time", time, "", {std::chrono::seconds(1), std::chrono::hours(2)});
  app.add_option("SIZE", number);
  arguments.insert(arguments.begin(), "program");
  const auto exit = parse(app, static_cast<int>(arguments.size()), arguments.data());
  return exit ? exit->text : "";
}

TEST(Arguments, AMistakeIsToldInPlainWords) {
  for (const auto& [arguments, words] :
       std::vector<std::pair<std::vector<const char*>, std::string>>{
           {{"--number=6"}, "--number: \"6\" is not a number from 1 to 5"},
           {{"--number="}, "--number: \"\" is not a number from 1 to 5"},
           {{"--number", "1 not in range 2"},
            "--number: \"1 not in range 2\" is not a number from 1 to 5"},
           {{"--word=c"}, "--word: \"c\" is not one of a, b"},
           {{"--word=: not in {x}"}, "--word: \": not in {x}\" is not one of a, b"},
           {{"--word"}, "--word: a value is required: TEXT:{a,b}"},
           {{"--one", "--other"}, "--one cannot be used with --other"},
           {{"--time=5"}, "--time: a unit is required, such as 30s or 5m"},
           {{"--time=1ms"}, "--time: must be 1s to 2h"},
           {{"--time=3h"}, "--time: must be 1s to 2h"},
           {{"many"}, "SIZE: \"many\" is not a valid value"},
           {{"--none"}, "unknown flag: --none"},
       }) {
    EXPECT_EQ(mistake(arguments), "error: " + words + "; see program --help\n");
  }
  EXPECT_EQ(mistake({"--number=5", "--word=a", "--one", "--time=2h", "3"}), "");
}

}  // namespace
}  // namespace mc
