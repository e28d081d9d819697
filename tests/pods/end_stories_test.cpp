#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pods/job.h"
#include "tests/pods/story.h"

// After a command has ended: the last lines of the log, and the exit code, whatever the broker
// does.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Ended : public WithFlux {
 protected:
  Node node;
};

TEST_F(Ended, CommandsWordsAreTheLastOfTheLogAndNotTheBrokers) {
  Job job(node, minicluster("sh -c 'echo the input is missing; exit 7'", 2));
  const auto end = job.run();
  ASSERT_TRUE(end) << job.pods().logs();
  EXPECT_EQ(end->code, 7);
  const std::size_t words = end->message.rfind("the input is missing\n");
  ASSERT_NE(words, std::string::npos) << end->message;
  EXPECT_THAT(end->message.substr(words), Not(HasSubstr("broker."))) << end->message;
}

// The broker is killed as soon as the command's end is recorded.
TEST_F(Ended, BrokerThatDiesAfterTheCommandChangesNothing) {
  for (const int code : {0, 7}) {
    SCOPED_TRACE(code);
    Job job(node, launcher(node,
                           "broker=$(cut -d\" \" -f4 /proc/$PPID/stat); "
                           "(until [ -s /mnt/flux/flux-operator-code.txt ]; do :; done; "
                           "kill -9 $broker) & exit " +
                               std::to_string(code),
                           2));
    const auto end = job.run();
    ASSERT_TRUE(end) << job.pods().logs();
    EXPECT_THAT(job.pods().log(0), HasSubstr("phase=end code=137")) << job.pods().logs();
    EXPECT_EQ(end->code, code) << job.pods().logs();
    EXPECT_EQ(end->complete, code == 0);
    EXPECT_THAT(job.tries(), IsEmpty());
  }
}

}  // namespace
}  // namespace mc::pods
