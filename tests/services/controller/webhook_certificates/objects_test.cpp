#include "services/controller/webhook_certificates/objects.h"

#include <gtest/gtest.h>

#include "common/base/base64.h"
#include "common/base/rfc3339.h"

namespace mc::controller {
namespace {

// Any text will do: tests/certs tests the certificates' content.
certs::StoredCertificates kept() {
  return {.leaf = {"leaf", "leaf key"},
          .bundle = "authority, retired",
          .authority = {"authority", "authority key"},
          .retired = {{"retired", parse_rfc3339("2026-01-31T08:00:00Z").value()}}};
}

json stored(json object) {
  object["metadata"]["resourceVersion"] = "7";
  object["metadata"]["uid"] = "u";
  return object;
}

const json kConfiguration = {{"metadata", {{"name", "c"}, {"resourceVersion", "7"}}},
                             {"webhooks",
                              {{{"name", "a"}, {"clientConfig", {{"caBundle", base64("old")}}}},
                               {{"name", "b"}, {"clientConfig", {{"caBundle", base64("new")}}}},
                               {{"name", "c"}, {"clientConfig", {{"service", {{"name", "s"}}}}}}}}};

TEST(WebhookObjects, WhatIsKeptComesBackFromBothSecrets) {
  const json leaf = leaf_secret_of(kept(), nullptr, "system", "web").value();
  const json authority = authority_secret_of(kept(), nullptr, "system", "web-ca").value();
  EXPECT_EQ(kept_of(leaf, authority), kept());
  EXPECT_FALSE(leaf_secret_of(kept(), stored(leaf), "system", "web"));
  EXPECT_FALSE(authority_secret_of(kept(), stored(authority), "system", "web-ca"));
}

TEST(WebhookObjects, TheAuthoritysKeyIsInNoSecretThatIsMounted) {
  const json leaf = leaf_secret_of(kept(), nullptr, "system", "web").value();
  EXPECT_EQ(leaf.at("type"), "kubernetes.io/tls");
  EXPECT_EQ(leaf.at("metadata").at("namespace"), "system");
  EXPECT_EQ(leaf.at("data"), (json{{"tls.crt", base64("leaf")},
                                   {"tls.key", base64("leaf key")},
                                   {"ca.crt", base64("authority, retired")}}));
  EXPECT_EQ(leaf.dump().find(base64("authority key")), std::string::npos);
  EXPECT_EQ(authority_secret_name("web"), "web-ca");
}

TEST(WebhookObjects, NoSecretIsMadeForAWebhookBeforeItHasACertificate) {
  certs::StoredCertificates none = kept();
  none.leaf = {};
  EXPECT_FALSE(leaf_secret_of(none, nullptr, "system", "web"));
}

TEST(WebhookObjects, ASecretThatIsThereKeepsWhatIsNotOurs) {
  const json now = stored({{"type", "Opaque"},
                           {"metadata", {{"name", "web"}, {"labels", {{"a", "b"}}}}},
                           {"data", {{"other", "eA=="}, {"tls.crt", "eA=="}}}});
  json expected = now;
  expected["data"]["tls.crt"] = base64("leaf");
  expected["data"]["tls.key"] = base64("leaf key");
  expected["data"]["ca.crt"] = base64("authority, retired");
  EXPECT_EQ(leaf_secret_of(kept(), now, "system", "web"), expected);
}

TEST(WebhookObjects, AnythingMayBeInASecret) {
  for (const json& data :
       {json(nullptr), json("x"), json::array({1}), json{{"tls.crt", 1}, {"ca.crt", "%"}},
        json{{"retired.json", base64("{")}},
        json{{"retired.json", base64(R"([1, {"until": 2}, {"certificate": "x"}])")}}}) {
    EXPECT_EQ(kept_of({{"data", data}}, {{"data", data}}), certs::StoredCertificates()) << data;
    const auto mended = leaf_secret_of(kept(), stored({{"data", data}}), "system", "web");
    ASSERT_TRUE(mended) << data;
    EXPECT_EQ(kept_of(*mended, nullptr).leaf, kept().leaf);
  }
}

TEST(WebhookObjects, EachBundleThatDiffersIsPatchedInTheVersionThatWasSeen) {
  EXPECT_EQ(bundles_of(kConfiguration), (std::vector<std::string>{"old", "new", ""}));
  const json replaced = {{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", "7"}};
  const auto add = [](const char* index) {
    return json{{"op", "add"},
                {"path", std::string("/webhooks/") + index + "/clientConfig/caBundle"},
                {"value", base64("new")}};
  };
  const auto patch = bundle_patch(kConfiguration, "new");
  EXPECT_EQ(patch, (json{replaced, add("0"), add("2")}));
  EXPECT_FALSE(bundle_patch(kConfiguration.patch(*patch), "new"));
}

TEST(WebhookObjects, WithoutWebhooksThereIsNothingToPatch) {
  for (const json& none : {json(nullptr), json::object(), json{{"webhooks", nullptr}}}) {
    EXPECT_TRUE(bundles_of(none).empty());
    EXPECT_FALSE(bundle_patch(none, "new"));
  }
}

}  // namespace
}  // namespace mc::controller
