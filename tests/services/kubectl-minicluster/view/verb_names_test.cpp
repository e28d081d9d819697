#include "services/kubectl-minicluster/view/verb_names.h"

#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

const std::vector<std::string> kVerbs = {"run", "wait", "get", "logs", "suspend", "delete"};

TEST(UnknownVerb, OfSlurmFluxOrGridEngineNamesTheOneThatDoesTheSame) {
  EXPECT_EQ(unknown_verb("squeue", kVerbs),
            "unknown verb \"squeue\"; use kubectl minicluster get instead");
  EXPECT_EQ(unknown_verb("sbatch", kVerbs),
            "unknown verb \"sbatch\"; use kubectl minicluster submit instead");
  EXPECT_EQ(unknown_verb("sacct", kVerbs),
            "unknown verb \"sacct\"; use kubectl minicluster history instead");
  EXPECT_EQ(unknown_verb("sshare", kVerbs),
            "unknown verb \"sshare\"; use kubectl minicluster account --by account instead");
  EXPECT_EQ(unknown_verb("scancel", kVerbs),
            "unknown verb \"scancel\"; use kubectl minicluster cancel NAME instead");
}

TEST(UnknownVerb, WithATypoNamesTheOneThatWasMeant) {
  EXPECT_EQ(unknown_verb("suspnd", kVerbs), "unknown verb \"suspnd\", did you mean \"suspend\"?");
  EXPECT_EQ(unknown_verb("log", kVerbs), "unknown verb \"log\", did you mean \"logs\"?");
}

TEST(UnknownVerb, OfNoKindLeadsToTheHelp) {
  EXPECT_EQ(unknown_verb("frobnicate", kVerbs),
            "unknown verb \"frobnicate\"; see kubectl minicluster --help");
  EXPECT_EQ(unknown_verb("a\nb", kVerbs), "unknown verb \"a b\"; see kubectl minicluster --help");
}

}  // namespace
}  // namespace mc::kubectl
