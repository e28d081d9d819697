#include <gtest/gtest.h>

#include "common/render/job.h"
#include "common/render/pod.h"
#include "tests/support/clusters.h"
#include "tests/support/cpu_time.h"

namespace mc::render {
namespace {

using Pointer = json::json_pointer;

struct Merge {
  const char* name;
  const char* target;
  const char* patch;
  const char* merged;
};

const Merge kMerges[] = {
    // RFC 7386
    {"a value replaces", R"({"a": "b"})", R"({"a": "c"})", R"({"a": "c"})"},
    {"a member is added", R"({"a": "b"})", R"({"b": "c"})", R"({"a": "b", "b": "c"})"},
    {"null removes", R"({"a": "b", "c": 1})", R"({"a": null})", R"({"c": 1})"},
    {"null of what is not there", R"({"c": 1})", R"({"a": null})", R"({"c": 1})"},
    {"objects are merged", R"({"a": {"b": 1, "c": 2}})", R"({"a": {"b": null, "d": 3}})",
     R"({"a": {"c": 2, "d": 3}})"},
    {"an object takes the place of a value", R"({"a": [1]})", R"({"a": {"b": null, "c": 2}})",
     R"({"a": {"c": 2}})"},
    {"nothing changes nothing", R"({"a": 1})", "{}", R"({"a": 1})"},
    {"a patch that is no object changes nothing", R"({"a": 1})", R"(["x"])", R"({"a": 1})"},
    {"nor does null", R"({"a": 1})", "null", R"({"a": 1})"},
    {"whatever the target is", R"("text")", R"({"a": 1})", R"({"a": 1})"},
    // Lists
    {"a list without names is replaced", R"({"l": [1, 2]})", R"({"l": [3]})", R"({"l": [3]})"},
    {"of objects too", R"({"l": [{"key": "a"}]})", R"({"l": [{"key": "b"}]})",
     R"({"l": [{"key": "b"}]})"},
    {"one name missing on our side", R"({"l": [{"name": "a"}, {"x": 1}]})",
     R"({"l": [{"name": "b"}]})", R"({"l": [{"name": "b"}]})"},
    {"one name missing on theirs", R"({"l": [{"name": "a"}]})",
     R"({"l": [{"name": "a", "x": 1}, {"y": 2}]})", R"({"l": [{"name": "a", "x": 1}, {"y": 2}]})"},
    {"a name that is no string", R"({"l": [{"name": "a"}]})", R"({"l": [{"name": 1}]})",
     R"({"l": [{"name": 1}]})"},
    {"entries of one name are merged in place", R"({"l": [{"name": "a", "x": 1}, {"name": "b"}]})",
     R"({"l": [{"name": "a", "y": 2, "x": null}]})",
     R"({"l": [{"name": "a", "y": 2}, {"name": "b"}]})"},
    {"new names come last, in their order", R"({"l": [{"name": "z"}]})",
     R"({"l": [{"name": "c", "gone": null}, {"name": "b"}]})",
     R"({"l": [{"name": "z"}, {"name": "c"}, {"name": "b"}]})"},
    {"a name given twice is merged twice", R"({"l": [{"name": "z"}]})",
     R"({"l": [{"name": "a", "x": 1}, {"name": "a", "y": 2}]})",
     R"({"l": [{"name": "z"}, {"name": "a", "x": 1, "y": 2}]})"},
    {"no entries leave named ones alone", R"({"l": [{"name": "a"}]})", R"({"l": []})",
     R"({"l": [{"name": "a"}]})"},
    {"null removes a list", R"({"l": [{"name": "a"}]})", R"({"l": null})", "{}"},
    {"a list takes the place of a value", R"({"l": 1})", R"({"l": [{"name": "a"}]})",
     R"({"l": [{"name": "a"}]})"},
    {"names within names",
     R"({"containers": [{"name": "c", "env": [{"name": "A", "value": "1"}]}]})",
     R"({"containers": [{"name": "c", "env": [{"name": "A", "value": "2"}, {"name": "B"}]}]})",
     R"({"containers": [{"name": "c", "env": [{"name": "A", "value": "2"}, {"name": "B"}]}]})"},
    {"another source for a volume", R"({"volumes": [{"name": "v", "emptyDir": {}}]})",
     R"({"volumes": [{"name": "v", "emptyDir": null, "persistentVolumeClaim": {"claimName": "c"}}]})",
     R"({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]})"},
    {"mounts are told apart by their path",
     R"({"volumeMounts": [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}]})",
     R"({"volumeMounts": [{"mountPath": "/b", "readOnly": true}, {"name": "v", "mountPath": "/c"}]})",
     R"({"volumeMounts": [{"name": "v", "mountPath": "/a"},
                          {"name": "v", "mountPath": "/b", "readOnly": true},
                          {"name": "v", "mountPath": "/c"}]})"},
};

TEST(TemplatePatch, MergesByNameAndByTheRulesOfRfc7386) {
  for (const Merge& c : kMerges) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(merged_template(json::parse(c.target), json::parse(c.patch)), json::parse(c.merged));
  }
}

TEST(TemplatePatch, AppliedTwiceIsAppliedOnce) {
  for (const Merge& c : kMerges) {
    SCOPED_TRACE(c.name);
    const json patch = json::parse(c.patch);
    const json once = merged_template(json::parse(c.target), patch);
    EXPECT_EQ(merged_template(once, patch), once);
  }
}

// The effect of a patch of the spec on the Job.
struct Applied {
  const char* name;
  const char* patch;
  const char* where;  // JSON pointer into the Job
  const char* expected;
};

const Applied kApplied[] = {
    {"a field of the pod", R"({"spec": {"priorityClassName": "high"}})",
     "/spec/template/spec/priorityClassName", R"("high")"},
    {"it wins over a field of ours", R"({"spec": {"subdomain": "net"}})",
     "/spec/template/spec/subdomain", R"("net")"},
    {"a field of the container that runs Flux",
     R"({"spec": {"containers": [{"name": "flux-sample", "livenessProbe": {"periodSeconds": 3}}]}})",
     "/spec/template/spec/containers/0/livenessProbe", R"({"periodSeconds": 3})"},
    {"the rest of it stays",
     R"({"spec": {"containers": [{"name": "flux-sample", "livenessProbe": {"periodSeconds": 3}}]}})",
     "/spec/template/spec/containers/0/image", R"("ubuntu:noble")"},
    {"a container more", R"({"spec": {"containers": [{"name": "log", "image": "log:1"}]}})",
     "/spec/template/spec/containers/1/image", R"("log:1")"},
    {"an init container more, after ours",
     R"({"spec": {"initContainers": [{"name": "fetch", "image": "fetch:1"}]}})",
     "/spec/template/spec/initContainers/1/name", R"("fetch")"},
    {"an annotation", R"({"metadata": {"annotations": {"a": "b"}}})",
     "/spec/template/metadata/annotations/a", R"("b")"},
    {"a label", R"({"metadata": {"labels": {"a": "b"}}})", "/spec/template/metadata/labels/a",
     R"("b")"},
    {"our label wins", R"({"metadata": {"labels": {"job-name": "x"}}})",
     "/spec/template/metadata/labels/job-name", R"("flux-sample")"},
    {"our label cannot be removed", R"({"metadata": {"labels": {"app": null}}})",
     "/spec/template/metadata/labels/app", R"("flux-operator")"},
    {"nor all of them", R"({"metadata": null})",
     "/spec/template/metadata/labels/app.kubernetes.io~1name", R"("flux-sample")"},
    {"not by a value of another type either", R"({"metadata": {"labels": [1]}})",
     "/spec/template/metadata/labels/hpa-selector", R"("flux-sample")"},
    {"the failure policy follows the restart policy", R"({"spec": {"restartPolicy": "OnFailure"}})",
     "/spec/podFailurePolicy", "null"},
    {"a pod without a spec", R"({"spec": null})", "/spec/podFailurePolicy", "null"},
    {"a spec that is none", R"({"spec": 5})", "/spec/template/spec", "5"},
};

TEST(TemplatePatch, IsOverTheJobsPodTemplateAndAppliedLast) {
  for (const Applied& c : kApplied) {
    SCOPED_TRACE(c.name);
    api::MiniCluster spec = test::cluster();
    spec.spec.pod.template_patch = json::parse(c.patch);
    const json object = job(spec);
    const Pointer where(c.where);
    EXPECT_EQ(object.contains(where) ? object.at(where) : json(), json::parse(c.expected));
  }
}

json named(std::size_t count) {
  json out = json::array();
  for (std::size_t i = 0; i < count; ++i) out.push_back({{"name", std::to_string(i)}});
  return {{"volumes", std::move(out)}};
}

TEST(TemplatePatch, TakesTimeByTheLengthOfItsLists) {
  const auto takes = [](std::size_t count) {
    const json target = named(1), patch = named(count);
    return test::cpu_seconds([&] { EXPECT_EQ(merged_template(target, patch), patch); });
  };
  constexpr std::size_t kFew = 500, kMany = 8;
  EXPECT_LT(takes(kMany * kFew), 3 * kMany * takes(kFew));
}

}  // namespace
}  // namespace mc::render
