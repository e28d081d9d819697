#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"
#include "tests/support/folders.h"
#include "tests/support/temporary_folder.h"

// What a lead writes where a later one also writes: the archive, and the outputs of a batch. An
// earlier lead may still run, on a node that was cut off, when the next one has started.
namespace mc::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;

// A pod with an archive, whose `after_dump` is run when Flux has written its dump.
class Archive : public ::testing::Test {
 protected:
  Archive() {
    write("archive.tar.gz", "state of an earlier run\n");
    spec_.spec.archive_path = data_.path() / "archive.tar.gz";
  }

  Outcome run(const std::string& after_dump = "") const {
    const PodDir pod(spec_);
    pod.write("record/after-dump", after_dump);
    Outcome out = pod.run_broker();
    calls_ = pod.calls();
    return out;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(data_ / name) << text;
  }
  std::string archive() const { return text_of(data_.path() / "archive.tar.gz"); }
  // All files beside the archive.
  std::string others() const {
    return run_shell("ls -A " + data_.path().string() + " | grep -v '^archive.tar.gz'", {}).out;
  }
  std::string claim(const std::string& by) const {
    return "echo '" + by + "' >" + data_.path().string() + "/archive.tar.gz.lead\n";
  }

  TemporaryFolder data_;
  api::MiniCluster spec_ = cluster("true");
  mutable std::string calls_;
};

constexpr const char* kSaved = "state of flux-sample-0 ";

TEST_F(Archive, IsReplacedAtOnceByADumpWithTheSameSuffix) {
  EXPECT_EQ(run("cat " + spec_.spec.archive_path + " >&2").code, 0);
  EXPECT_THAT(archive(), HasSubstr(kSaved));
  EXPECT_THAT(calls_, ContainsRegex("\\[-Scontent.dump=[^]]*-archive.tar.gz\\]"));
  EXPECT_THAT(others(), IsEmpty());
  EXPECT_THAT(run("cat " + spec_.spec.archive_path + " >&2").err, HasSubstr(kSaved));
}

// In the pod's own folder, so that the warning is on the page of messages.
TEST_F(Archive, IsNotWrittenByALeadAfterWhichAnotherHasStarted) {
  const PodDir pod(spec_);
  pod.write("data/archive.tar", "state of an earlier run\n");
  pod.write("record/after-dump",
            "echo 'flux-sample-0 of-another' >$FAKE_FLUX/../data/archive.tar.lead\n");
  const Outcome outcome =
      pod.run("echo mc_archive=${mount%/mount}/data/archive.tar >>$operator/settings.sh\n" +
              std::string(kBroker));
  EXPECT_THAT(outcome.err, HasSubstr("minicluster: warning: the state of Flux is not saved in " +
                                     pod.file("data/archive.tar").string() +
                                     ", because a later lead of this MiniCluster has started\n"));
  EXPECT_EQ(text_of(pod.file("data/archive.tar")), "state of an earlier run\n");
  EXPECT_EQ(run_shell("ls -A " + pod.file("data").string(), {}).out,
            "archive.tar\narchive.tar.lead\n");
}

TEST_F(Archive, IsWrittenIfALeadOfAnotherMiniClusterHasStarted) {
  EXPECT_THAT(run(claim("other-0 of-another")).err, Not(HasSubstr("warning")));
  EXPECT_THAT(archive(), HasSubstr(kSaved));
}

TEST_F(Archive, IsNotReplacedByTheDumpOfABrokerThatWasKilled) {
  EXPECT_THAT(run("exit 137").err, HasSubstr("because Flux could not write all of it\n"));
  EXPECT_EQ(archive(), "state of an earlier run\n");
}

// A full disk, or a second signal, ends what writes the dump, and the broker ends as after a
// command that failed. `write` makes a dump; `whole` is how it ends the file.
TEST_F(Archive, IsNotReplacedByADumpThatFluxCouldNotWriteToItsEnd) {
  struct Case {
    const char* suffix;
    std::vector<const char*> programs;
    const char* whole;
  };
  const Case cases[] = {{".tar", {"tail", "tr"}, "cat; head -c 1024 /dev/zero"},
                        {".tgz", {"gzip"}, "gzip"},
                        {".tar.gz", {"gzip"}, "gzip"},
                        {".tar.bz2", {"bzip2"}, "bzip2"},
                        {".tar.xz", {"xz"}, "xz"}};
  for (const auto& [suffix, programs, whole] : cases) {
    for (const bool cut : {false, true}) {
      SCOPED_TRACE(std::string(suffix) + (cut ? " cut" : ""));
      const std::string name = std::string("archive") + suffix;
      write(name, "state of an earlier run\n");
      spec_.spec.archive_path = data_.path() / name;
      const PodDir pod(spec_);
      for (const char* program : programs) {
        std::filesystem::create_symlink(std::filesystem::path("/usr/bin") / program,
                                        pod.file("bin") / program);
      }
      pod.write("record/after-dump", std::string("cat $dump | { ") + whole + "; } >$dump.whole\n" +
                                         "head -c " + (cut ? "-3" : "-0") +
                                         " $dump.whole >$dump; rm $dump.whole; exit 1\n");
      EXPECT_EQ(pod.run_broker().code, 0) << "the command ended well";
      EXPECT_EQ(text_of(data_.path() / name) == "state of an earlier run\n", cut);
    }
  }
}

TEST_F(Archive, IsReplacedAfterACommandThatWasKilled) {
  spec_.spec.containers[0].command = "sh -c 'kill -9 $$'";
  spec_.spec.containers[0].launcher = true;
  EXPECT_EQ(run().code, 248) << "137 is reserved";
  EXPECT_THAT(archive(), HasSubstr(kSaved));
}

TEST_F(Archive, DumpsThatEarlierLeadsHaveLeftAreDeleted) {
  write(".minicluster-1-archive.tar.gz", "half");
  write(".minicluster-1-of-others.tar.gz", "theirs");
  run();
  EXPECT_EQ(others(), ".minicluster-1-of-others.tar.gz\n");
}

TEST_F(Archive, OnAPathThatIsMountedItselfIsWrittenInPlace) {
  const PodDir pod(spec_);
  std::filesystem::remove(pod.file("bin/mv"));  // a link
  pod.write("bin/mv", "#!/bin/sh\ncase $3 in *tar.gz) exit 1 ;; esac\nexec /bin/mv \"$@\"\n");
  std::filesystem::permissions(pod.file("bin/mv"), std::filesystem::perms::owner_all);
  pod.must_run_broker();
  EXPECT_THAT(archive(), HasSubstr(kSaved));
}

// The files of the outputs of a batch whose first job claims the folder for `lead`, which has
// written its own.
std::map<std::string, std::string> outputs_after(const std::string& lead) {
  api::MiniCluster spec = cluster("sh -c 'cd $FLUX_OUTPUT_DIR; echo " + lead +
                                  " >.minicluster-lead; echo its >job-1.out; echo its >batch.out'\n"
                                  "echo ours\n");
  spec.spec.containers[0].batch = true;
  const PodDir pod(spec);
  pod.must_run_broker();
  std::map<std::string, std::string> out;
  for (const auto& file : std::filesystem::directory_iterator(pod.file("output"))) {
    out[file.path().filename()] = text_of(file.path());
  }
  return out;
}

TEST(OutputsOfABatch, AreNotWrittenByALeadAfterWhichAnotherHasStarted) {
  EXPECT_THAT(outputs_after("flux-sample-0 of-another"),
              ElementsAre(Pair(".minicluster-lead", "flux-sample-0 of-another\n"),
                          Pair("batch.out", "its\n"), Pair("job-1.out", "its\n")));
}

TEST(OutputsOfABatch, AreWrittenIfALeadOfAnotherMiniClusterHasStarted) {
  const std::map<std::string, std::string> outputs = outputs_after("other-0 of-another");
  EXPECT_THAT(outputs, IsSupersetOf({Pair("job-0.out", ""), Pair("job-1.out", "ours\n")}));
  EXPECT_THAT(outputs.at("batch.out"), HasSubstr("f124\n"));
}

}  // namespace
}  // namespace mc::test
