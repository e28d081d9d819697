#include "common/api/model/label_selector.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

struct SelectorCase {
  const char* sentence;
  const char* selector;
  const char* labels;
  bool selected;
};

class LabelSelector : public testing::TestWithParam<SelectorCase> {};

TEST_P(LabelSelector, SelectsAsKubernetesDoes) {
  const SelectorCase& c = GetParam();
  const std::map<std::string, std::string> labels = json::parse(c.labels);
  EXPECT_EQ(selects(json::parse(c.selector), labels), c.selected) << c.sentence;
}

constexpr const char* kTeam = R"({"team": "bio", "tier": "batch"})";

INSTANTIATE_TEST_SUITE_P(
    All, LabelSelector,
    testing::Values(
        SelectorCase{"no selector: every object", "null", kTeam, true},
        SelectorCase{"an empty one too", "{}", "{}", true},
        SelectorCase{"a label", R"({"matchLabels": {"team": "bio"}})", kTeam, true},
        SelectorCase{"another value", R"({"matchLabels": {"team": "geo"}})", kTeam, false},
        SelectorCase{"no labels at all", R"({"matchLabels": {"team": "bio"}})", "{}", false},
        SelectorCase{"both must hold",
                     R"({"matchLabels": {"team": "bio"},
                         "matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]})",
                     kTeam, false},
        SelectorCase{"In",
                     R"({"matchExpressions": [{"key": "team", "operator": "In",
                                               "values": ["geo", "bio"]}]})",
                     kTeam, true},
        SelectorCase{"In, without the label",
                     R"({"matchExpressions": [{"key": "room", "operator": "In",
                                               "values": ["bio"]}]})",
                     kTeam, false},
        SelectorCase{"NotIn",
                     R"({"matchExpressions": [{"key": "team", "operator": "NotIn",
                                               "values": ["bio"]}]})",
                     kTeam, false},
        SelectorCase{"NotIn selects what lacks the label",
                     R"({"matchExpressions": [{"key": "room", "operator": "NotIn",
                                               "values": ["bio"]}]})",
                     kTeam, true},
        SelectorCase{"Exists", R"({"matchExpressions": [{"key": "team", "operator": "Exists"}]})",
                     kTeam, true},
        SelectorCase{"an operator that does not exist",
                     R"({"matchExpressions": [{"key": "team", "operator": "Near"}]})", kTeam,
                     false}));

}  // namespace
}  // namespace mc::api
