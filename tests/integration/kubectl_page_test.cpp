#include <regex>

#include "tests/integration/pod_logs.h"
#include "tests/integration/transcript.h"
#include "tests/support/golden.h"
#include "tests/support/plugin.h"

// The examples of docs/kubectl-minicluster.md: the real API server, controller and plugin. The test
// writes what a kubelet or scheduler would report of a pod. UPDATE_GOLDEN=1 writes the file, and
// `make docs` then the page.
namespace mc::test {
namespace {

// With `5s` for every number of seconds, in the same columns.
std::string with_one_time(const std::string& text) {
  static const std::regex kTime(R"(\b\d+s( *))");
  std::string out;
  auto from = text.cbegin();
  for (std::sregex_iterator i(text.begin(), text.end(), kTime), end; i != end; ++i) {
    out.append(from, text.cbegin() + i->position());
    const std::size_t spaces = (*i)[1].str().size(), width = static_cast<std::size_t>(i->length());
    out += "5s" + std::string(spaces > 1 ? width - 2 : spaces, ' ');
    from = text.cbegin() + i->position() + i->length();
  }
  return out.append(from, text.cend());
}

class KubectlPage : public ClusterStory {
 protected:
  void section(const std::string& title) { text_ += "\n### " + title + "\n"; }

  // Runs it as its user would, and adds both to the page.
  void show(const std::vector<std::string>& arguments) {
    const Outcome outcome = plugin(arguments);
    std::string line = "kubectl minicluster";
    for (const std::string& word : arguments) line += " " + word;
    std::string answer = replaced(outcome.out + outcome.err, kubectl.namespace_name(), "default");
    text_ += "\n```console\n$ " + line + "\n" + with_one_time(without_chance(answer)) + "```\n";
  }

  Plugin plugin{kubectl};
  std::string text_;
};

TEST_F(KubectlPage, HasTheseExamples) {
  for (const char* const name : {"lammps", "large", "failure"}) {
    make(name);
    ASSERT_TRUE(JobPods(kubectl, name).are(2));
  }
  JobPods(kubectl, "lammps").run_all(2);
  until_ready_is("lammps", "QuorumReached");
  JobPods(kubectl, "large").find_node(0);
  JobPods(kubectl, "large").find_no_node(1, "0/3 nodes are available: 3 Insufficient cpu.");
  until_ready_is("large", "Unschedulable");
  until_told("large", "Unschedulable");
  const JobPods failure(kubectl, "failure");
  PodLogs logs(kubectl);
  logs.write(logs.run(failure, 0),
             "minicluster: phase=command index=0 uptime_cs=1234567\n"
             "simulate: no such file: input.dat\n");
  failure.run(1);
  until_ready_is("failure", "QuorumReached");
  failure.end(0, 7, "simulate: no such file: input.dat\n");
  ASSERT_TRUE(has_condition(kubectl, "failure", "Failed", "True"));
  until_told("failure", "PodFailurePolicy");  // the Job controller's
  until_told("failure", "CommandFailed");
  EXPECT_TRUE(eventually([&] { return failure.pod(1).is_null(); }));

  section("What runs, and what waits");
  show({"get"});
  section("A size that does not fit");
  show({"explain", "large"});
  section("A failed command");
  show({"explain", "failure"});
  section("What has ended");
  show({"history"});
  section("Suspend and resume");
  show({"suspend", "lammps"});
  until_ready_is("lammps", "Suspended");
  EXPECT_TRUE(eventually(
      [&] { return value_at(kubectl.get({"minicluster", "lammps"}), "/status/ready", -1) == 0; }));
  show({"get", "lammps"});
  show({"resume", "lammps"});
  section("Errors");
  show({"explain", "nothing"});

  expect_golden("tests/docs/kubectl-transcript.md", text_);
}

TEST(KubectlPageText, HasOneTimeInTheSameColumns) {
  EXPECT_EQ(with_one_time("AGE   LEFT\n12s   1m\n3s    2m\n"), "AGE   LEFT\n5s    1m\n5s    2m\n");
  EXPECT_EQ(with_one_time("for 12s:\n  3s  Pod/a"), "for 5s:\n  5s  Pod/a");
}

}  // namespace
}  // namespace mc::test
