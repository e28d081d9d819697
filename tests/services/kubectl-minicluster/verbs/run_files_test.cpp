#include "services/kubectl-minicluster/verbs/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "services/kubectl-minicluster/cluster/mailbox.h"
#include "tests/support/folders.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace mc::kubectl {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Steady = std::chrono::steady_clock;

// `kubectl` is a script in a folder with `there`, the lead's files; it gets the number of its run
// as $run, and $path, "" for the run that says that all is copied. The copies go to `here`.
class FilesOfRun : public ::testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    std::filesystem::create_directories(folder_.path() / "there/res/deep");
    std::filesystem::create_directories(folder_.path() / "here");
    std::ofstream(folder_.path() / "there/res/deep/file") << "data";
    std::ofstream(folder_.path() / "there/one") << "1";
    kubectl(kCopies);
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder_.path().c_str(), 1);
    kubectl_.emplace(test::must(Kubectl::find({})));
    ::setenv("PATH", path.c_str(), 1);
  }

  static constexpr const char* kCopies = R"([ -n "$path" ] || exit 0
cd there; tar -cf - "./$path" || { echo "command terminated with exit code 2" >&2; exit 2; })";

  void kubectl(const std::string& lines) const {
    const auto file = folder_.path() / "kubectl";
    std::ofstream(file) << "#!/bin/sh\ncd " << folder_.path().string()
                        << "\necho \"$*\" >>runs\nrun=$(wc -l <runs)\npath=$7\n"
                        << lines << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  std::string here(const std::string& file) const {
    return test::text_of(folder_.path() / "here" / file);
  }
  std::vector<std::string> runs() const {
    return test::lines_of(test::text_of(folder_.path() / "runs"));
  }

  void want(std::vector<std::string> paths) {
    files_.emplace(*kubectl_, "c",
                   LeadFiles::Wanted{std::move(paths), (folder_.path() / "here").string()},
                   LeadFiles::Hooks{[this](const std::string& text) { said_.push_back(text); },
                                    [this] { mailbox_.wake(); }});
  }

  template <class Done>
  [[nodiscard]] bool until(Done done, const Lead& lead) {
    const auto limit = Steady::now() + seconds(20);
    while (!done()) {
      const auto now = Steady::now();
      if (now > limit) return false;
      files_->look(lead, false, now);
      (void)mailbox_.take(std::min(files_->next(), now + milliseconds(50)));
    }
    return true;
  }
  [[nodiscard]] bool until_said() {
    return until([&] { return files_->has_said(); }, kLead);
  }

  const Lead kLead{"pod", "uid", 0, false};
  const test::TemporaryFolder folder_;
  std::optional<Kubectl> kubectl_;
  Mailbox mailbox_;
  std::vector<std::string> said_;
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
  EXPECT_THAT(runs(), ElementsAre(exec + " res", exec + " one", exec));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("copied res to "), HasSubstr("copied one to ")));
}

TEST_F(FilesOfRun, WhatIsNotThereIsToldAndTheRestIsCopied) {
  want({"nothing", "one"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_EQ(here("one"), "1");
  EXPECT_TRUE(files_->lacks());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("copied one"),
                                 ::testing::AllOf(HasSubstr("error: cannot copy nothing: tar: "),
                                                  HasSubstr("No such file"))));
}

TEST_F(FilesOfRun, ALeadThatCannotBeReachedIsTriedAgain) {
  kubectl(std::string("[ $run -gt 1 ] || { echo 'error: not now' >&2; exit 1; }\n") + kCopies);
  want({"one"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("cannot copy files out of the lead: not now"),
                                 HasSubstr("copied one")));
}

TEST_F(FilesOfRun, AnArchiveThatIsCutIsNoCopy) {
  kubectl("[ -n \"$path\" ] || exit 0\ncd there; tar -cf - ./res | head -c 700");
  want({"res"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_TRUE(files_->lacks());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("error: cannot copy res: ")));
}

TEST_F(FilesOfRun, AnArchiveWritesNothingOutsideOfTheFolder) {
  kubectl(R"([ -n "$path" ] || exit 0
mkdir -p a/b; echo evil >a/evil; cd a/b; tar -cPf - ../evil "$PWD/../evil")");
  want({"res"});
  files_->begin();
  ASSERT_TRUE(until_said());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "evil"));
}

TEST_F(FilesOfRun, ALeadThatWasMadeAnewMustStayItself) {
  want({"one"});
  files_->look(kLead, false, Steady::now());
  files_->begin();
  files_->look(Lead{"other", "uid2", 0, false}, false, Steady::now());
  EXPECT_FALSE(files_->is_copying());
}

TEST_F(FilesOfRun, ACopyThatHangsEndsAWhileAfterTheLead) {
  kubectl("exec sleep 1000");
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
  EXPECT_THAT(runs(), IsEmpty());
}

}  // namespace
}  // namespace mc::kubectl
