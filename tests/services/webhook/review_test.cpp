#include "services/webhook/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/base/base64.h"
#include "tests/common/api/base_flux_setup.h"
#include "tests/services/webhook/requests.h"

namespace mc::webhook {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kUid = "705ab4f5-6393-11e8-b7cc-42010a800002";

json response(Mode mode, const json& request) {
  return json::parse(review(mode, request.dump()).body).at("response");
}

// The operations of the patch; empty if there is none.
json patch_of(const json& answer) {
  if (!answer.contains("patch")) return json::array();
  EXPECT_EQ(answer.at("patchType"), "JSONPatch");
  return json::parse(base64_decoded(answer.at("patch").get<std::string>()).value());
}

TEST(Review, AnswersBytesWithBytes) {
  const AdmissionResponse answer =
      review(Mode::Validate, review_of("CREATE", valid_cluster()).dump());
  EXPECT_EQ(answer.body,
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
            R"("response":{"allowed":true,"uid":"705ab4f5-6393-11e8-b7cc-42010a800002"}})");
  EXPECT_EQ(answer.refusal, "");
  EXPECT_EQ(answer.operation, "CREATE");
  EXPECT_EQ(answer.ns, "default");
  EXPECT_EQ(answer.name, "lammps");
}

TEST(Review, MutateAddsWhatIsNotSetAndTheObjectThenPassesUnchanged) {
  const json object = valid_cluster();
  const json answer = response(Mode::Mutate, review_of("CREATE", object));
  ASSERT_EQ(answer.at("allowed"), true);
  const json operations = patch_of(answer);
  for (const json& operation : operations) EXPECT_EQ(operation.at("op"), "add") << operation;
  const json defaulted = object.patch(operations);
  EXPECT_EQ(defaulted.at("/spec/maxSize"_json_pointer), 2);
  EXPECT_EQ(defaulted.at("/spec/tasks"_json_pointer), 1);
  EXPECT_EQ(defaulted.at("/spec/containers/0/image"_json_pointer), "ghcr.io/rse-ops/lammps:1");
  const json again = response(Mode::Mutate, review_of("CREATE", defaulted));
  EXPECT_EQ(again.at("allowed"), true);
  EXPECT_FALSE(again.contains("patch"));
  EXPECT_FALSE(again.contains("patchType"));
}

// The parts of the status that an update depends on are read from the review.
TEST(Review, WhetherPodsHaveRunDecidesWhatMayChange) {
  json before = cluster_with(R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}},
                                 "spec": {"size": 8, "minSize": 2, "maxSize": 8, "suspend": true}})");
  json after = before;
  after["spec"]["size"] = 6;
  after["spec"]["pod"]["labels"]["team"] = "x";
  EXPECT_EQ(response(Mode::Validate, review_of("UPDATE", after, before)).at("allowed"), true);
  before["status"] = {{"phase", "Running"}, {"startTime", "2026-01-01T00:00:00Z"}};
  const json refused = response(Mode::Validate, review_of("UPDATE", after, before));
  EXPECT_EQ(refused.at("allowed"), false);
  const std::string message = refused.at("status").at("message");
  EXPECT_THAT(message, HasSubstr("spec.size: Forbidden: with minSize, Kueue may have admitted"));
  EXPECT_THAT(message, HasSubstr("spec.pod: Forbidden: field is immutable"));
}

TEST(Review, ThePatchKeepsFieldsThatTheApiDoesNotHave) {
  const json object =
      cluster_with(R"({"spec": {"later": {"a": [1, null]}}, "metadata": {"other": 1}})");
  const json answer = response(Mode::Mutate, review_of("CREATE", object));
  ASSERT_EQ(answer.at("allowed"), true);
  const json defaulted = object.patch(patch_of(answer));
  EXPECT_EQ(defaulted.at("/spec/later"_json_pointer), json::parse(R"({"a": [1, null]})"));
  EXPECT_EQ(defaulted.at("/metadata/other"_json_pointer), 1);
}

TEST(Review, AnObjectWithWrongTypesWhichTheOldOneHasTooIsNotPatched) {
  const json wrong = cluster_with(R"({"spec": {"services": ["x", {"name": "a"}]}})");
  const json answer = response(Mode::Mutate, review_of("UPDATE", wrong, wrong));
  EXPECT_EQ(answer.at("allowed"), true);
  EXPECT_FALSE(answer.contains("patch"));
}

TEST(Review, AWrongSpecIsRefusedByBothAsTheApiServerWouldRefuseIt) {
  for (const Mode mode : {Mode::Mutate, Mode::Validate}) {
    const AdmissionResponse answer =
        review(mode, review_of("CREATE", cluster_with(R"({"spec": {"size": 0}})")).dump());
    EXPECT_EQ(answer.refusal, "Invalid");
    const json body = json::parse(answer.body).at("response");
    EXPECT_EQ(body.at("uid"), kUid);
    EXPECT_EQ(body.at("allowed"), false);
    EXPECT_FALSE(body.contains("patch"));
    EXPECT_EQ(body.at("status"), json::parse(R"({
      "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
      "code": 422, "reason": "Invalid",
      "message": "MiniCluster.flux-framework.org \"lammps\" is invalid: spec.size: Invalid value: 0: must be greater than or equal to 1",
      "details": {"group": "flux-framework.org", "kind": "MiniCluster", "name": "lammps",
        "causes": [{"field": "spec.size", "reason": "FieldValueInvalid",
                    "message": "Invalid value: 0: must be greater than or equal to 1"}]}
    })"));
  }
}

TEST(Review, EveryErrorIsACause) {
  const json answer =
      response(Mode::Mutate,
               review_of("CREATE", cluster_with(R"({"spec": {"size": 0, "containers": []}})")));
  const json& status = answer.at("status");
  EXPECT_THAT(status.at("details").at("causes"), SizeIs(2));
  EXPECT_EQ(status.at("details").at("causes")[0].at("field"), "spec.containers");
  EXPECT_EQ(status.at("details").at("causes")[0].at("reason"), "FieldValueRequired");
  EXPECT_EQ(status.at("details").at("causes")[1].at("field"), "spec.size");
  const std::string message = status.at("message");
  EXPECT_THAT(message, StartsWith("MiniCluster.flux-framework.org \"lammps\" is invalid: "
                                  "[spec.containers: Required value"));
  EXPECT_THAT(message, EndsWith(", spec.size: Invalid value: 0: must be greater than or equal to "
                                "1]"));
}

TEST(Review, AFluxSetupGetsItsStaticDefaultsOnly) {
  const json object = test::base_flux_setup();
  const json answer = response(Mode::Mutate, review_of_setup("CREATE", object));
  ASSERT_EQ(answer.at("allowed"), true);
  EXPECT_EQ(patch_of(answer), json::parse(R"([{"op": "add", "path": "/spec/queueingStrategy",
                                               "value": "BestEffortFIFO"}])"));
  EXPECT_FALSE(answer.contains("warnings"));
}

TEST(Review, AWrongFluxSetupIsRefusedByBothInTheSameWords) {
  const json object = test::flux_setup_with(R"({"spec": {"hard": {"gpu": 8, "cpu": "-1"}}})");
  for (const Mode mode : {Mode::Mutate, Mode::Validate}) {
    const json status = response(mode, review_of_setup("CREATE", object)).at("status");
    EXPECT_EQ(status.at("code"), 422);
    EXPECT_EQ(status.at("details").at("kind"), "FluxSetup");
    EXPECT_EQ(status.at("details").at("name"), "site");
    EXPECT_THAT(status.at("details").at("causes"), SizeIs(2));
    EXPECT_EQ(status.at("details").at("causes")[0].at("field"), "spec.hard[cpu]");
    EXPECT_THAT(status.at("message").get<std::string>(),
                StartsWith("FluxSetup.flux-framework.org \"site\" is invalid: [spec.hard[cpu]: "
                           "Invalid value: \"-1\": must be greater than or equal to 0, "
                           "spec.hard[gpu]: Invalid value: \"gpu\": must be "));
  }
}

TEST(Review, EveryFieldOfAFluxSetupMayChange) {
  const json old = test::base_flux_setup();
  const json changed = test::flux_setup_with(
      R"({"spec": {"hard": {"cpu": 1}, "queueingStrategy": "StrictFIFO", "namespaces": [{}]}})");
  const json answer = response(Mode::Validate, review_of_setup("UPDATE", changed, old));
  EXPECT_EQ(answer.at("allowed"), true);
  EXPECT_THAT(answer.at("warnings"), SizeIs(1));
}

TEST(Review, AnObjectThatIsBeingDeletedTakesTheSamePath) {
  const json old = cluster_with(R"({"metadata": {"deletionTimestamp": "2025-01-01T00:00:00Z"}})");
  json changed = old;
  changed["spec"]["tasks"] = 4;
  json same = old;
  same["metadata"]["finalizers"] = json::array();
  const json old_defaulted = old.patch(patch_of(response(Mode::Mutate, review_of("CREATE", old))));
  EXPECT_EQ(response(Mode::Mutate, review_of("UPDATE", changed, old_defaulted)).at("allowed"),
            false);
  EXPECT_EQ(response(Mode::Mutate, review_of("UPDATE", same, old_defaulted)).at("allowed"), true);
}

TEST(Review, AGeneratedNameIsSaidAsFarAsItIsKnown) {
  json object = cluster_with(R"({"metadata": {"name": null, "generateName": "run-"},
                                 "spec": {"size": 0}})");
  json request = review_of("CREATE", object);
  request["request"].erase("name");
  const json answer = response(Mode::Mutate, request);
  EXPECT_EQ(answer.at("status").at("details").at("name"), "run-");
}

TEST(Review, WhatIsNotAMiniClustersSpecPassesUntouched) {
  json scale = review_of("UPDATE", {{"kind", "Scale"}}, {{"kind", "Scale"}});
  scale["request"]["subResource"] = "scale";
  scale["request"]["kind"] = {{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}};
  json status = review_of("UPDATE", cluster_with(R"({"spec": {"size": 0}})"), valid_cluster());
  status["request"]["subResource"] = "status";
  const json removed = review_of("DELETE", nullptr, cluster_with(R"({"spec": {"size": 0}})"));
  const json connect = review_of("CONNECT", {{"kind", "PodExecOptions"}});
  for (const json& request : {scale, status, removed, connect}) {
    for (const Mode mode : {Mode::Mutate, Mode::Validate}) {
      EXPECT_EQ(response(mode, request), json({{"allowed", true}, {"uid", kUid}})) << request;
    }
  }
}

TEST(Review, ADryRunGetsTheSameAnswer) {
  json request = review_of("CREATE", valid_cluster());
  const json real = response(Mode::Mutate, request);
  request["request"]["dryRun"] = true;
  EXPECT_EQ(response(Mode::Mutate, request), real);
}

TEST(Review, AnUnknownFieldOfAKubernetesTypeIsRefusedIfTheClientAsksForIt) {
  const struct {
    const char* name;
    json options;
    UnknownFields unknown;
    bool refused;
  } cases[] = {
      {"kubectl apply", {{"fieldValidation", "Strict"}}, UnknownFields::AsClientAsks, true},
      {"kubectl apply --validate=warn",
       {{"fieldValidation", "Warn"}},
       UnknownFields::AsClientAsks,
       false},
      {"--validate=ignore", {{"fieldValidation", "Ignore"}}, UnknownFields::AsClientAsks, false},
      {"a client that does not say",
       {{"dryRun", json::array()}},
       UnknownFields::AsClientAsks,
       false},
      {"no options", nullptr, UnknownFields::AsClientAsks, false},
      {"always refused", nullptr, UnknownFields::AreRefused, true},
      {"never refused", {{"fieldValidation", "Strict"}}, UnknownFields::AreWarnings, false},
      {"a value of another type", {{"fieldValidation", 5}}, UnknownFields::AsClientAsks, false},
      {"options of another type", "Strict", UnknownFields::AsClientAsks, false},
  };
  const json cluster = cluster_with(R"({"spec": {"pod": {"securityContext": {"fsgroup": 5}}}})");
  const json old = cluster_with(R"({"spec": {"pod": {"securityContext": {}}}})");
  for (const auto& c : cases) {
    for (json request : {review_of("CREATE", cluster), review_of("UPDATE", cluster, old)}) {
      request["request"]["options"] = c.options;
      for (const Mode mode : {Mode::Mutate, Mode::Validate}) {
        const std::string answer = review(mode, request.dump(), c.unknown).body;
        EXPECT_EQ(answer.contains("Forbidden: unknown field"), c.refused) << c.name << answer;
        EXPECT_EQ(answer.contains(R"("warnings":["spec.pod.securityContext.fsgroup: unknown)"),
                  !c.refused)
            << c.name << answer;
      }
    }
  }
}

TEST(Review, AnUnknownFieldIsRefusedWithItsPathAndOtherwiseWarnedOf) {
  const std::string request =
      review_of("CREATE", cluster_with(R"({"spec": {"pod": {"securityContext": {"fsgroup": 5}}}})"))
          .dump();
  const std::string words = "unknown field, did you mean \"fsGroup\"?";
  const json refused =
      json::parse(review(Mode::Mutate, request, UnknownFields::AreRefused).body).at("response");
  EXPECT_EQ(refused.at("allowed"), false);
  EXPECT_EQ(refused.at("status").at("details").at("causes"),
            json::array({{{"reason", "FieldValueForbidden"},
                          {"message", "Forbidden: " + words},
                          {"field", "spec.pod.securityContext.fsgroup"}}}));
  const json warned = json::parse(review(Mode::Mutate, request).body).at("response");
  EXPECT_EQ(warned.at("allowed"), true);
  EXPECT_EQ(warned.at("warnings"), json::array({"spec.pod.securityContext.fsgroup: " + words}));
}

TEST(Review, ARequestThatCannotBeUnderstoodIsRefusedAndToldWhy) {
  const std::string kWrongReview = ", must be admission.k8s.io/v1 AdmissionReview";
  const struct {
    const char* name;
    const char* patch;  // on the review of a valid creation
    std::string message;
    const char* uid = kUid;
  } cases[] = {
      {"an older version", R"({"apiVersion": "admission.k8s.io/v1beta1"})",
       "body is \"admission.k8s.io/v1beta1\" \"AdmissionReview\"" + kWrongReview},
      {"another kind", R"({"kind": "ConversionReview"})",
       "body is \"admission.k8s.io/v1\" \"ConversionReview\"" + kWrongReview},
      {"no kind", R"({"kind": null, "apiVersion": null})", "body is \"\" \"\"" + kWrongReview},
      {"no request", R"({"request": null})", "request is missing", ""},
      {"a request of the wrong type", R"({"request": [1]})", "request is missing", ""},
      {"no uid", R"({"request": {"uid": null}})", "request.uid is missing", ""},
      {"a uid of the wrong type", R"({"request": {"uid": 7}})", "request.uid is missing", ""},
      {"no operation", R"({"request": {"operation": null}})", "request.operation is missing"},
      {"another operation", R"({"request": {"operation": "PATCH"}})",
       "request.operation is \"PATCH\", must be CREATE, UPDATE, DELETE or CONNECT"},
      {"no kind of the object", R"({"request": {"kind": null}})", "request.kind is missing"},
      {"another kind of object",
       R"({"request": {"kind": {"group": "batch", "version": "v1", "kind": "Job"}}})",
       "request.kind is batch/v1 Job, must be flux-framework.org/v1alpha2 MiniCluster or "
       "FluxSetup"},
      {"another version of it", R"({"request": {"kind": {"version": "v1alpha1"}}})",
       "request.kind is flux-framework.org/v1alpha1 MiniCluster, must be "
       "flux-framework.org/v1alpha2 MiniCluster or FluxSetup"},
      {"no object", R"({"request": {"object": null}})", "request.object is missing"},
      {"an object of the wrong type", R"({"request": {"object": "x"}})",
       "request.object is missing"},
      {"an update without the old object", R"({"request": {"operation": "UPDATE"}})",
       "request.oldObject is missing"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    json request = review_of("CREATE", valid_cluster());
    request.merge_patch(json::parse(c.patch));
    const AdmissionResponse answer = review(Mode::Mutate, request.dump());
    EXPECT_EQ(answer.refusal, "BadRequest");
    const json body = json::parse(answer.body).at("response");
    EXPECT_EQ(body.at("uid"), c.uid);
    EXPECT_EQ(body.at("allowed"), false);
    EXPECT_EQ(body.at("status").at("code"), 400);
    EXPECT_EQ(body.at("status").at("reason"), "BadRequest");
    EXPECT_EQ(body.at("status").at("message"), c.message);
  }
}

TEST(Review, BytesThatAreNoReviewAreRefusedAndToldWhy) {
  const std::string deep = std::string(2'000'000, '[');
  std::string many = "[";
  for (int i = 0; i < 200'000; ++i) many += "1,";
  const struct {
    std::string body;
    std::string message;
  } cases[] = {
      {"", "body is not JSON"},
      {"{", "body is not JSON"},
      {"{} {}", "body is not JSON"},
      {"\"\xff\"", "body is not JSON"},
      {"kind: AdmissionReview", "body is not JSON"},
      {"null", "body is not a JSON object"},
      {"[]", "body is not a JSON object"},
      {deep, "JSON of more than 500 levels"},
      {deep + std::string(2'000'000, ']'), "JSON of more than 500 levels"},
      {many + "1]", "JSON of more than 200000 values"},
  };
  for (const auto& [body, message] : cases) {
    const json answer = json::parse(review(Mode::Validate, body).body);
    EXPECT_EQ(answer.at("kind"), "AdmissionReview");
    EXPECT_EQ(answer.at("response").at("uid"), "");
    EXPECT_EQ(answer.at("response").at("status").at("code"), 400);
    EXPECT_EQ(answer.at("response").at("status").at("message"), message);
  }
}

TEST(Review, OurOwnFailureIsACode500WithTheUid) {
  const AdmissionResponse answer = failed(review_of("CREATE", valid_cluster()).dump());
  EXPECT_EQ(answer.refusal, "InternalError");
  const json body = json::parse(answer.body).at("response");
  EXPECT_EQ(body.at("uid"), kUid);
  EXPECT_EQ(body.at("allowed"), false);
  EXPECT_EQ(body.at("status").at("code"), 500);
  EXPECT_EQ(json::parse(failed("nonsense").body).at("response").at("uid"), "");
}

}  // namespace
}  // namespace mc::webhook
