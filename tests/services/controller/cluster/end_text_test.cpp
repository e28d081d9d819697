#include "services/controller/cluster/end_text.h"

#include <gtest/gtest.h>

namespace mc::controller {
namespace {

MiniCluster named(const char* ns, const char* name) {
  MiniCluster out;
  out.metadata.ns = ns;
  out.metadata.name = name;
  return out;
}

TEST(EndText, OfAJobIsReadAsItWasWritten) {
  api::Condition end{std::string(api::kFailed), true, "CommandFailed", "code 7: \"x\"\n"};
  EXPECT_FALSE(read_end(end_text(end))->exit_code);
  end.exit_code = 7;
  const auto read = read_end(end_text(end));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->type, end.type);
  EXPECT_TRUE(read->status);
  EXPECT_EQ(read->reason, end.reason);
  EXPECT_EQ(read->message, end.message);
  EXPECT_EQ(read->exit_code, 7);
}

TEST(EndText, OfAMiniClusterHoldsForItsNameAlone) {
  MiniCluster cluster = named("lab", "a");
  cluster.status.exit_code = 0;
  cluster.end = end_text_of(cluster, {.type = std::string(api::kComplete), .reason = "R"});
  ASSERT_TRUE(read_end_of(cluster));
  EXPECT_EQ(read_end_of(cluster)->type, api::kComplete);
  EXPECT_EQ(read_end_of(cluster)->reason, "R");
  EXPECT_EQ(read_end_of(cluster)->exit_code, 0);
  for (MiniCluster other : {named("lab", "b"), named("other", "a")}) {
    other.end = cluster.end;
    EXPECT_FALSE(read_end_of(other));
  }
}

TEST(EndText, ThatNobodyHasWrittenIsNone) {
  for (const char* text : {"", "{", "[]", "7", R"({"type": "Ready"})", R"({"type": 7})"}) {
    EXPECT_FALSE(read_end(text)) << text;
    MiniCluster cluster = named("lab", "a");
    cluster.end = text;
    EXPECT_FALSE(read_end_of(cluster)) << text;
  }
}

}  // namespace
}  // namespace mc::controller
