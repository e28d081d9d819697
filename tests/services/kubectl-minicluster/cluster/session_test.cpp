#include "services/kubectl-minicluster/cluster/session.h"

#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

TEST(Session, AnErrorIsTheApiServersSentence) {
  const auto said = [](const std::string& message) {
    return sentence_of(Error{ErrorKind::NotFound, message});
  };
  EXPECT_EQ(said("get MiniCluster a/x: 404 NotFound: miniclusters.flux-framework.org \"x\" not "
                 "found"),
            "miniclusters.flux-framework.org \"x\" not found");
  EXPECT_EQ(said("get MiniCluster a/x: 500: broken\npipe"), "broken pipe");
  EXPECT_EQ(said("kubectl is not in PATH"), "kubectl is not in PATH");
}

TEST(Kubectl, TheReasonIsWhatItCallsAnError) {
  EXPECT_EQ(reason_in("W1124 a warning\nerror: context \"x\" does not exist\n"),
            "context \"x\" does not exist");
  EXPECT_EQ(reason_in("Error from server (Forbidden): no\nmore\n"),
            "Error from server (Forbidden): no");
  EXPECT_EQ(reason_in("one\ntwo\n\n"), "two");
  EXPECT_EQ(reason_in(""), "kubectl failed and said nothing");
}

}  // namespace
}  // namespace mc::kubectl
