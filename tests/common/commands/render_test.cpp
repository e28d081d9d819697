#include "common/commands/render.h"

#include <gtest/gtest.h>

#include <sstream>

#include "common/base/yaml.h"
#include "common/flux/curve.h"

namespace mc::commands {
namespace {

constexpr const char* kValid =
    "apiVersion: flux-framework.org/v1alpha2\nkind: MiniCluster\nmetadata: {name: good}\n"
    "spec:\n  size: 2\n  containers: [{image: 'a:1'}]\n";

struct Result {
  int code = 0;
  std::string out, err;
};

Result rendered(const std::string& input, bool with_secrets = false) {
  std::istringstream in(input);
  std::ostringstream out, err;
  const int code = render({{"-"}, with_secrets}, in, out, err);
  return {code, out.str(), err.str()};
}

std::string secret_of(const std::string& yaml) {
  const std::vector<json> objects = parse_yaml(yaml).value();
  for (const json& object : objects) {
    if (object["kind"] == "Secret") return object["stringData"]["curve.cert"].get<std::string>();
  }
  return "";
}

TEST(RenderCommand, EveryObjectIsADocument) {
  const Result result = rendered(kValid);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  std::vector<std::string> kinds;
  const std::vector<json> objects = parse_yaml(result.out).value();
  for (const json& object : objects) kinds.push_back(object["kind"]);
  EXPECT_EQ(kinds, (std::vector<std::string>{"ConfigMap", "Secret", "Service", "Job"}));
}

TEST(RenderCommand, TheCertificateIsAPlaceholderUnlessAskedFor) {
  EXPECT_FALSE(flux::parse_curve_certificate(secret_of(rendered(kValid).out)));
  EXPECT_TRUE(flux::parse_curve_certificate(secret_of(rendered(kValid, true).out)));
}

TEST(RenderCommand, NoSecretIsShownWhereTheUserBringsOne) {
  const std::string with_secret = std::string(kValid) + "  flux: {curveCertSecret: my-curve}\n";
  for (const bool with_secrets : {false, true}) {
    const Result result = rendered(with_secret, with_secrets);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out.find("kind: Secret"), std::string::npos);
    EXPECT_NE(result.out.find("name: my-curve"), std::string::npos);
  }
}

TEST(RenderCommand, ARefusedMiniClusterIsToldInTheWordsOfAdmission) {
  const Result result = rendered(
      "apiVersion: flux-framework.org/v1alpha2\nkind: MiniCluster\nmetadata: {name: bad}\n"
      "spec: {size: 0, containers: [{image: 'a:1'}]}\n---\n" +
      std::string(kValid));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "The MiniCluster \"bad\" is invalid: spec.size: Invalid value: 0: must be greater than "
            "or equal to 1\n");
  EXPECT_NE(result.out, "") << "the good one is rendered all the same";
}

TEST(RenderCommand, OtherKindsArePassedOverWithALine) {
  const Result result =
      rendered("kind: Service\nmetadata: {name: web}\n---\n" + std::string(kValid));
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "Service \"web\" skipped\n");
}

TEST(RenderCommand, AFluxSetupIsCheckedButMakesNothing) {
  const std::string setup =
      "apiVersion: flux-framework.org/v1alpha2\nkind: FluxSetup\nmetadata: {name: site}\n"
      "spec: {hard: {cpu: ";
  const Result good = rendered(setup + "64}}\n");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.out, "");
  EXPECT_EQ(good.err, "FluxSetup \"site\" skipped\n");
  const Result bad = rendered(setup + "many}}\n");
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(bad.err.starts_with(
      "The FluxSetup \"site\" is invalid: spec.hard[cpu]: Invalid value: \"many\": "))
      << bad.err;
}

TEST(RenderCommand, WhatCannotBeReadIsTwo) {
  EXPECT_EQ(rendered("a: [").code, 2);
  EXPECT_EQ(rendered("spec: {}\n").err,
            "standard input: document 1: not a Kubernetes object: kind is missing\n");
  std::istringstream in;
  std::ostringstream out, err;
  EXPECT_EQ(render({{"/nonexistent/x"}, false}, in, out, err), 2);
  EXPECT_EQ(err.str(), "/nonexistent/x: No such file or directory\n");
}

}  // namespace
}  // namespace mc::commands
