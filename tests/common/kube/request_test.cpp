#include "common/kube/request.h"

#include <gtest/gtest.h>

namespace mc::kube {
namespace {

std::string line(const Request& request) { return request.method + " " + request.path; }

// A resource that an API group defines.
constexpr Resource kWidgets{"example.org", "v1", "widgets", "Widget"};

TEST(Request, HasThePathOfItsResource) {
  const struct {
    Request request;
    std::string line;
    std::string what;
  } cases[] = {
      {request::get(kWidgets, "hpc", "lammps"),
       "GET /apis/example.org/v1/namespaces/hpc/widgets/lammps", "get Widget hpc/lammps"},
      {request::get(kJobs, "hpc", "lammps"), "GET /apis/batch/v1/namespaces/hpc/jobs/lammps",
       "get Job hpc/lammps"},
      {request::get(kConfigMaps, "hpc", "a.b"), "GET /api/v1/namespaces/hpc/configmaps/a.b",
       "get ConfigMap hpc/a.b"},
      {request::get(Resource{"", "v1", "nodes", "Node", false}, "", "n1"), "GET /api/v1/nodes/n1",
       "get Node n1"},
      {request::list(kPods, "hpc", {}), "GET /api/v1/namespaces/hpc/pods?limit=50",
       "list Pod in hpc"},
      {request::list(kPods, "", {.limit = 0}), "GET /api/v1/pods", "list Pod in all namespaces"},
      {request::list(kServices, "a b/c", {.limit = 0}), "GET /api/v1/namespaces/a%20b%2Fc/services",
       "list Service in a b/c"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(line(one.request), one.line);
    EXPECT_EQ(one.request.what, one.what);
    EXPECT_EQ(one.request.body, "");
    EXPECT_EQ(one.request.accept, "application/json");
  }
}

TEST(Request, EncodesEveryValueOfItsQuery) {
  const auto list = request::list(
      kPods, "hpc",
      {.label_selector = "app in (a,b),x!=y", .continue_token = "eyJ2+/==", .limit = 2});
  EXPECT_EQ(list.path,
            "/api/v1/namespaces/hpc/pods?labelSelector=app%20in%20%28a%2Cb%29%2Cx%21%3Dy&limit=2"
            "&continue=eyJ2%2B%2F%3D%3D");
}

TEST(Request, WatchesWithBookmarksAndATimeLimit) {
  const auto watch = request::watch(kJobs, "", {.label_selector = "a=b", .resource_version = "77"});
  EXPECT_EQ(line(watch),
            "GET /apis/batch/v1/jobs?watch=true&allowWatchBookmarks=true&timeoutSeconds=290"
            "&labelSelector=a%3Db&resourceVersion=77");
}

TEST(Request, AsksForMetadataOnlyByItsAcceptHeader) {
  EXPECT_EQ(request::list(kConfigMaps, "", {.metadata_only = true}).accept,
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  EXPECT_EQ(request::watch(kConfigMaps, "", {.metadata_only = true}).accept,
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
}

TEST(Request, WritesTheObjectWhereItsMetadataSays) {
  const json job = {{"metadata", {{"name", "x"}, {"namespace", "hpc"}}}};
  const auto create = request::create(kJobs, job);
  EXPECT_EQ(line(create), "POST /apis/batch/v1/namespaces/hpc/jobs");
  EXPECT_EQ(create.what, "create Job hpc/x");
  EXPECT_EQ(create.content_type, "application/json");
  EXPECT_EQ(json::parse(create.body), job);
  const auto update = request::update(kJobs, job);
  EXPECT_EQ(line(update), "PUT /apis/batch/v1/namespaces/hpc/jobs/x");
  EXPECT_EQ(update.what, "update Job hpc/x");
}

TEST(Request, PatchesAsJsonPatchOrMergePatch) {
  const auto merge = request::patch(kJobs, "hpc", "x", PatchType::Merge, {{"a", 1}});
  EXPECT_EQ(line(merge), "PATCH /apis/batch/v1/namespaces/hpc/jobs/x");
  EXPECT_EQ(merge.content_type, "application/merge-patch+json");
  EXPECT_EQ(merge.body, R"({"a":1})");
  const auto patch = request::patch(kWidgets, "hpc", "x", PatchType::Json, json::array(), "status");
  EXPECT_EQ(line(patch), "PATCH /apis/example.org/v1/namespaces/hpc/widgets/x/status");
  EXPECT_EQ(patch.content_type, "application/json-patch+json");
  EXPECT_EQ(patch.what, "patch status of Widget hpc/x");
}

TEST(Request, DeletesInTheBackgroundAndOnlyTheObjectThatIsMeant) {
  const auto remove = request::remove(kJobs, "hpc", "x", "0d2f");
  EXPECT_EQ(line(remove), "DELETE /apis/batch/v1/namespaces/hpc/jobs/x");
  EXPECT_EQ(json::parse(remove.body), json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions",
      "propagationPolicy":"Background","preconditions":{"uid":"0d2f"}})"));
  EXPECT_FALSE(json::parse(request::remove(kJobs, "hpc", "x").body).contains("preconditions"));
}

TEST(Request, WithoutANameNeverReachesTheWholeCollection) {
  EXPECT_EQ(request::remove(kJobs, "hpc", "").path, "");
  EXPECT_EQ(request::get(kJobs, "hpc", "").path, "");
  EXPECT_EQ(request::update(kJobs, json::object()).path, "");
  EXPECT_EQ(request::patch(kJobs, "hpc", "", PatchType::Merge, {}, "status").path, "");
}

TEST(Request, IsConfidentialForSecretsOnly) {
  EXPECT_TRUE(request::get(kSecrets, "hpc", "x").confidential);
  EXPECT_FALSE(request::get(kConfigMaps, "hpc", "x").confidential);
}

TEST(Request, CanBeADryRun) {
  const json job = {{"metadata", {{"name", "x"}, {"namespace", "hpc"}}}};
  EXPECT_EQ(line(request::dry_run(request::create(kJobs, job))),
            "POST /apis/batch/v1/namespaces/hpc/jobs?dryRun=All");
}

TEST(Request, SurvivesBytesThatAreNoText) {
  const json job = {{"metadata", {{"name", "x"}}}, {"note", "\xff"}};
  EXPECT_EQ(json::parse(request::create(kJobs, job).body)["note"], "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace mc::kube
