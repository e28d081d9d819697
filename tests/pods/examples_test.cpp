#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "common/api/manifest.h"
#include "tests/pods/story.h"
#include "tests/support/stage.h"

// Runs each example of examples/ in pods, to its expected end.
namespace mc::pods {
namespace {

namespace fs = std::filesystem;

// In place of the image of a server: sends one answer to every client.
std::vector<std::string> server(int port, const std::string& answer) {
  return {"perl", "-MIO::Socket::INET", "-e",
          "my $s = IO::Socket::INET->new(LocalPort => " + std::to_string(port) +
              ", Listen => 5, ReuseAddr => 1, ReusePort => 1) or die $!;"
              "while (my $c = $s->accept) { <$c>; print $c \"" +
              answer + "\\r\\n\"; close $c }"};
}

struct Example {
  std::string file;
  std::vector<std::string> lines;  // in the log of any pod: Flux chooses where a job runs
  int code = 0;
  bool stays = false;     // until `flux shutdown`
  std::int64_t size = 0;  // replaces a size that is too large for one machine
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.file; }

const Example kExamples[] = {
    {"archive", {"one more\n"}},
    {"backfill", {" long\n", " wide\n", " short\n"}},
    {"batch", {"first\n", "second\n", "third\n"}},
    {"batch-raw", {"simulate\nsimulate\n"}},
    {"broker-config", {"in the queue\n"}},
    {"curve-secret", {"\ncurve-secret-"}},
    {"debugging", {"hello world\n", "FLUXTIME fluxstart wall time"}},
    {"elastic", {}, 0, true},
    {"environment",
     {"it's \"$5\" & more, $(not expanded) \\n\nC.UTF-8\nthe token has 5 characters\n"}},
    {"exit-code", {"the input is missing\n"}, 7},
    {"flux-in-image", {"commands: "}},
    {"hello-world", {"hello world\nhello world\nhello world\nhello world\n"}},
    {"interactive", {}, 0, true},
    {"kueue", {"\nkueue-"}},
    {"launcher", {"prepare\nsimulate\nsimulate\ncollect\n"}},
    {"many-tasks", {"task 0 of 8\n", "task 7 of 8\n"}},
    {"minimal-service", {"minimal-service-0\n", "minimal-service-3\n"}, 0, false, 4},
    {"one-node", {"one-node-0\n", "one-node-3\n"}},
    {"pod-template", {"\npod-template-"}},
    {"prepared", {"R is there, hosts prepared-[0-1]\n"}},
    {"quorum", {"quorum-"}},
    {"restricted", {"1000\n"}},
    {"scheduling", {"\nscheduling-"}},
    {"script", {"task 0: 'alpha' has 5 letters\n", "task 0: 'beta gamma' has 10 letters\n"}},
    {"services", {"HTTP/1.0 200 OK"}},
    {"sidecar", {"+PONG"}},
    {"sidecar-client", {"sidecar-client-0\n", "sidecar-client-1\n"}},
    {"sidecar-snippets", {"hello from the sidecar of pod 0\n"}},
    {"snippets",
     {"init, pre, brokerPre, command in /tmp\n", "init, pre, brokerPre, post\n",
      "init, pre, workerPre, post\n"}},
    {"strict", {"cannot access '/data/input'"}, 2},
    {"volumes", {"/credentials:", "/settings:\nsettings.ini\n"}},
};
// Two clusters, with the lead behind a node's address: see Bursting in company_stories_test.cpp.
// And programs in images: see mpi_test and quota_test in e2e/stories.
constexpr std::string_view kElsewhere[] = {"bursting", "hpcc", "lammps", "preemptible"};

api::MiniCluster read_example(const Example& example) {
  const std::string text =
      test::read_file(test::source_dir() / "examples" / (example.file + ".yaml"));
  const auto documents = api::read_manifest(text);
  if (!documents) throw std::runtime_error(documents.error().message);
  const auto found = std::ranges::find(*documents, "MiniCluster", &api::Document::kind);
  json object = found->object;
  if (example.size > 0) {
    object["spec"]["size"] = example.size;
    object["spec"]["tasks"] = example.size;
  }
  return api::examine_document({1, 0, "MiniCluster", found->name, object}).cluster;
}

// Provides what an administrator has set up, and the images.
void prepare(Node& node, const api::MiniCluster& cluster) {
  Machine& machine = node.machine();
  const api::FluxContainer& flux = cluster.spec.flux.container;
  if (flux.disable) {
    machine.images[cluster.spec.containers.at(0).image] = machine.images[kImageWithFlux];
  } else {
    machine.images[flux.image] = machine.images[kViewImage];
  }
  machine.images["nginx:1.27"].entry_point = server(80, "HTTP/1.0 200 OK");
  machine.images["redis:7"].entry_point = server(6379, "+PONG");
  machine.sources.secrets = {{"credentials", {{"user", "me"}}},
                             {"registry", {{"token", "12345"}}},
                             {"flux-certificate", {{"curve.cert", fresh_certificate()}}}};
  machine.sources.config_maps = {{"settings", {{"settings.ini", "a=b\n"}}}};
  for (const api::Container& container : cluster.spec.containers) {
    for (const auto& [name, volume] : container.volumes) {
      if (!volume.claim_name.empty()) {
        machine.sources.claims[volume.claim_name] = node.new_folder("claim-" + name);
      }
      if (!volume.host_path.empty()) {
        machine.sources.host_paths[volume.host_path] = node.new_folder("host-" + name);
      }
    }
  }
}

class Examples : public WithFlux, public ::testing::WithParamInterface<Example> {};
INSTANTIATE_TEST_SUITE_P(Pods, Examples, ::testing::ValuesIn(kExamples), [](const auto& kind) {
  std::string name = kind.param.file;
  std::erase(name, '-');
  return name;
});

TEST_P(Examples, RunsToItsEnd) {
  const Example& example = GetParam();
  const api::MiniCluster cluster = read_example(example);
  Node node;
  prepare(node, cluster);
  Pods pods(node, cluster);
  if (!cluster.spec.services.empty()) pods.start_service_pod();
  pods.start_all();
  if (example.stays) {
    ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
    shut_down(pods, 0);
  }
  ASSERT_TRUE(node.until([&] { return pods.pod(0).ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), example.code) << pods.logs();
  for (const std::string& line : example.lines) {
    EXPECT_TRUE(node.until([&] {
      for (std::size_t i = 0; i < pods.size(); ++i) {
        if (pods.log(i).contains(line)) return true;
      }
      return false;
    })) << line
        << pods.logs();
  }
}

TEST(ExamplesFolder, EachFileHasItsRowHere) {
  std::vector<std::string> rows(std::begin(kElsewhere), std::end(kElsewhere)), files;
  for (const Example& example : kExamples) rows.push_back(example.file);
  for (const fs::path& path : test::yaml_files(test::source_dir() / "examples")) {
    files.push_back(path.stem());
  }
  EXPECT_THAT(rows, ::testing::UnorderedElementsAreArray(files));
}

}  // namespace
}  // namespace mc::pods
