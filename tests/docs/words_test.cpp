#include "tests/docs/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/docs/markdown.h"

namespace mc::docs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TypeWords, SayWhatAValueIs) {
  const json embedded = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  const json object = {{"type", "object"}, {"properties", json::object()}};
  for (const auto& [schema, words] : std::vector<std::pair<json, std::string>>{
           {{{"type", "string"}}, "string"},
           {{{"type", "integer"}, {"format", "int32"}}, "integer"},
           {{{"type", "string"}, {"format", "date-time"}}, "time"},
           {{{"type", "array"}, {"items", {{"type", "integer"}}}}, "list of integers"},
           {{{"type", "array"}, {"items", object}}, "list"},
           {{{"type", "array"}, {"items", embedded}}, "list of objects (Kubernetes)"},
           {{{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}, "map of strings"},
           {{{"type", "object"}, {"additionalProperties", object}}, "map"},
           {embedded, "object (Kubernetes)"},
           {object, "object"},
       }) {
    EXPECT_EQ(type_words(schema), words) << schema;
  }
}

TEST(DefaultWords, AreThereForWhatIsADefaultToAUser) {
  EXPECT_EQ(default_words({{"default", 5}}), "default `5`");
  EXPECT_EQ(default_words({{"default", "5s"}}), "default `5s`");
  EXPECT_EQ(default_words({{"default", false}}), "default `false`");
  EXPECT_EQ(default_words({{"default", ""}}), "");
  EXPECT_EQ(default_words({{"default", json::object()}}), "");
  EXPECT_EQ(default_words(json::object()), "");
}

TEST(BoundWords, AreOneRuleEach) {
  for (const auto& [schema, words] : std::vector<std::pair<json, std::string>>{
           {{{"minimum", 0}, {"maximum", 7}}, "0 to 7"},
           {{{"minimum", 1}}, "at least 1"},
           {{{"maximum", 9}}, "at most 9"},
           {{{"maxLength", 63}}, "at most 63 characters"},
           {{{"minLength", 1}}, "not empty"},
           {{{"minLength", 2}}, "at least 2 characters"},
           {{{"minItems", 1}, {"maxItems", 32}}, "1 to 32 entries"},
           {{{"maxProperties", 64}}, "at most 64 entries"},
           {{{"enum", {"", "Always", "Never"}}}, "one of `Always`, `Never`"},
           {{{"pattern", "^a$"}}, "matches `^a$`"},
           {{{"pattern", "^(/.*)?$"}}, "an absolute path"},
           {{{"items", {{"minimum", 1}, {"maximum", 65535}}}}, "each 1 to 65535"},
       }) {
    EXPECT_THAT(bound_words(schema), ElementsAre(words)) << schema;
  }
  EXPECT_THAT(bound_words({{"items", {{"properties", json::object()}, {"minimum", 1}}}}),
              IsEmpty());
}

TEST(MessageWords, AreTheMessageOrTheLiteralsOfItsExpression) {
  EXPECT_EQ(message_words({{"message", "must be unique"}}), "must be unique");
  const json counted = {{"messageExpression", "\"at most maxSize (%d)\".format([self.maxSize])"}};
  EXPECT_EQ(message_words(counted), "at most maxSize (N)");
  const json named = {{"messageExpression", "'no \"' + self.name + '\": taken'"}};
  EXPECT_EQ(message_words(named), "no \"...\": taken");
}

TEST(Wrapped, BreaksBetweenWordsAndIndents) {
  const std::string word(50, 'x');
  EXPECT_EQ(wrapped("- ", word + "  " + word + "\n" + word),
            "- " + word + " " + word + "\n  " + word + "\n");
  EXPECT_EQ(wrapped("- ", std::string(200, 'y')), "- " + std::string(200, 'y') + "\n");
  EXPECT_EQ(wrapped("", ""), "\n");
}

TEST(LinkToHeading, HasTheAnchorThatGitHubMakes) {
  EXPECT_EQ(anchor("Names and labels"), "names-and-labels");
  EXPECT_EQ(anchor("3. What \"not set\" is"), "3-what-not-set-is");
  EXPECT_EQ(link_to_heading("spec.containers[].lifeCycle"),
            "[spec.containers[].lifeCycle](#speccontainerslifecycle)");
}

}  // namespace
}  // namespace mc::docs
