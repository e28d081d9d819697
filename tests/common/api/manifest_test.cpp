#include "common/api/manifest.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

TEST(Manifest, ListsAreTakenApartAndDocumentsCounted) {
  const auto documents = read_manifest(
      "kind: Service\nmetadata: {name: a}\n---\nkind: List\nitems:\n- {kind: X, metadata: "
      "{generateName: b-}}\n- 5\n");
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 3U);
  EXPECT_EQ((*documents)[0].name, "a");
  EXPECT_EQ((*documents)[0].item, 0U);
  EXPECT_EQ((*documents)[1].number, 2U);
  EXPECT_EQ((*documents)[1].item, 1U);
  EXPECT_EQ((*documents)[1].name, "b-");
  EXPECT_EQ((*documents)[2].kind, "");
}

TEST(Manifest, NothingToReadIsSaid) {
  EXPECT_EQ(read_manifest("# only a comment\n").error().message, "has no document");
  EXPECT_FALSE(read_manifest("a: [").has_value());
}

TEST(Manifest, AnotherVersionOfTheApiIsRefusedByName) {
  Document document;
  document.object = {{"apiVersion", "flux-framework.org/v1alpha1"}, {"kind", "MiniCluster"}};
  EXPECT_EQ(to_string(examine_document(document).errors),
            "apiVersion: Unsupported value: \"flux-framework.org/v1alpha1\": supported values: "
            "\"flux-framework.org/v1alpha2\"");
}

TEST(Manifest, OneErrorStandsBehindTheColonAndSeveralAreBullets) {
  const FieldPath a("a"), b("b");
  EXPECT_EQ(refusal("MiniCluster", "x", {required(a, "now")}),
            "The MiniCluster \"x\" is invalid: a: Required value: now\n");
  EXPECT_EQ(refusal("MiniCluster", "x", {required(a, "now"), forbidden(b, "never\nagain")}),
            "The MiniCluster \"x\" is invalid:\n* a: Required value: now\n* b: Forbidden: never "
            "again\n");
}

}  // namespace
}  // namespace mc::api
