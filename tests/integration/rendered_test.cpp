#include <algorithm>
#include <filesystem>
#include <vector>

#include "common/api/examine.h"
#include "common/api/manifest.h"
#include "common/base/json.h"
#include "common/render/render.h"
#include "tests/integration/story.h"

// The API server accepts the objects of every MiniCluster that validation accepts: the fuzzer's
// corpus, which includes a sample of accepted specs, and the examples.
namespace mc::test {
namespace {

class Rendered : public Story {};

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> out = yaml_files(source_dir() / "examples");
  const auto corpus = source_dir() / "tests/fuzz/corpus/minicluster";
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

TEST_F(Rendered, ObjectsOfEverythingThatIsAcceptedAreTakenByTheApiServer) {
  int accepted = 0;
  for (const std::filesystem::path& file : files()) {
    const auto documents = api::read_manifest(read_file(file));
    if (!documents) continue;
    for (api::Document document : *documents) {
      if (document.kind != "MiniCluster") continue;
      document.object["metadata"]["namespace"] = kubectl.namespace_name();
      const api::Examination found = api::examine_document(document);
      if (!found.errors.empty()) continue;
      ++accepted;
      const json list = {{"apiVersion", "v1"},
                         {"kind", "List"},
                         {"items", render::render(found.cluster, "certificate\n")}};
      const Outcome outcome =
          kubectl({"create", "--dry-run=server", "--validate=strict", "-f", "-"}, list.dump());
      EXPECT_EQ(outcome.code, 0) << file << "\n" << outcome.err;
    }
  }
  EXPECT_GT(accepted, 30);
}

}  // namespace
}  // namespace mc::test
