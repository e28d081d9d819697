#include "services/kubectl-minicluster/verbs/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/services/kubectl-minicluster/verbs/kubectl_script.h"
#include "tests/services/kubectl-minicluster/verbs/lead_test.h"

namespace mc::kubectl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// `kubectl` is a script in a folder with `there`, the lead's files; it gets the number of its run
// as $run, and $path, "" for the run that says that all is copied. The copies go to `here`.
class FilesOfRun : public LeadTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(script_.path("there/res/deep"));
    std::filesystem::create_directories(script_.path("here"));
    std::ofstream(script_.path("there/res/deep/file")) << "data";
    std::ofstream(script_.path("there/one")) << "1";
    script_.set(kCopies);
  }

  static constexpr const char* kCopies = R"([ -n "$path" ] || exit 0
cd there; tar -cf - "./$path" || { echo "command terminated with exit code 2" >&2; exit 2; })";

  std::string here(const std::string& file) const { return script_.text("here/" + file); }

  void want(std::vector<std::string> paths) {
    files_.emplace(kubectl_, "c",
                   LeadFiles::Wanted{std::move(paths), script_.path("here").string()}, hooks());
  }

  [[nodiscard]] bool until_said() {
    return until(*files_, [&] { return files_->has_said(); }, kLead);
  }

  const Lead kLead{"pod", "uid", 0, false};
  const KubectlScript script_{"path=$7"};
  const Kubectl kubectl_ = script_.program();
  std::optional<LeadFiles> files_;
};

TEST_F(FilesOfRun, AreCopiedOnceTheLeadStaysAndThenItIsTold) {
  want({"res", "one"});
  files_->look(kLead, false, Steady::now());
  EXPECT_FALSE(files_->is_copying());
  EXPECT_TRUE(files_->lacks());
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_EQ(here("res/deep/file"), "data");
  EXPECT_EQ(here("one"), "1");
  EXPECT_FALSE(files_->lacks());
  EXPECT_FALSE(files_->is_copying());
  const std::string exec = "exec pod --container=c -- /bin/sh /flux_operator/copy-out.sh";
  EXPECT_THAT(script_.runs(), ElementsAre(exec + " res", exec + " one", exec));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("copied res to "), HasSubstr("copied one to ")));
}

TEST_F(FilesOfRun, WhatIsNotThereIsToldAndTheRestIsCopied) {
  want({"missing", "one"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_EQ(here("one"), "1");
  EXPECT_TRUE(files_->lacks());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("copied one"),
                                 ::testing::AllOf(HasSubstr("error: cannot copy missing: tar: "),
                                                  HasSubstr("No such file"))));
}

TEST_F(FilesOfRun, ALeadThatCannotBeReachedIsTriedAgain) {
  script_.set(std::string("[ $run -gt 1 ] || { echo 'error: not now' >&2; exit 1; }\n") + kCopies);
  want({"one"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("cannot copy files from the lead: not now"),
                                 HasSubstr("copied one")));
}

TEST_F(FilesOfRun, AnArchiveThatIsCutIsNoCopy) {
  script_.set("[ -n \"$path\" ] || exit 0\ncd there; tar -cf - ./res | head -c 700");
  want({"res"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_TRUE(files_->lacks());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("error: cannot copy res: ")));
}

TEST_F(FilesOfRun, AnArchiveWritesNothingOutsideOfTheFolder) {
  script_.set(R"([ -n "$path" ] || exit 0
mkdir -p a/b; echo evil >a/evil; cd a/b; tar -cPf - ../evil "$PWD/../evil")");
  want({"res"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_FALSE(std::filesystem::exists(script_.path("evil")));
}

TEST_F(FilesOfRun, ALeadThatWasMadeAnewMustStayItself) {
  want({"one"});
  files_->look(kLead, false, Steady::now());
  files_->begin();
  files_->look(Lead{"other", "uid2", 0, false}, false, Steady::now());
  EXPECT_FALSE(files_->is_copying());
}

TEST_F(FilesOfRun, ACopyThatHangsEndsAWhileAfterTheLead) {
  script_.set("exec sleep 1000");
  want({"one"});
  files_->begin();
  const auto now = Steady::now();
  files_->look(kLead, false, now);
  ASSERT_TRUE(files_->is_copying());
  files_->look(kLead, true, now);
  EXPECT_TRUE(files_->is_copying());
  files_->look(kLead, true, now + seconds(60));
  const auto limit = now + seconds(20);
  while (files_->is_copying() && Steady::now() < limit) {
    (void)mailbox_.take(Steady::now() + milliseconds(50));
    files_->look(kLead, true, now + seconds(60));
  }
  EXPECT_FALSE(files_->is_copying());
  EXPECT_TRUE(files_->lacks());
}

TEST_F(FilesOfRun, WithoutAWishNothingIsCopied) {
  want({});
  files_->begin();
  files_->look(kLead, false, Steady::now());
  EXPECT_FALSE(files_->is_copying());
  EXPECT_FALSE(files_->lacks());
  EXPECT_THAT(script_.runs(), IsEmpty());
}

}  // namespace
}  // namespace mc::kubectl
