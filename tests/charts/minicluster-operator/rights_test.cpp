#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <sstream>

#include "common/base/json.h"
#include "tests/charts/minicluster-operator/release.h"
#include "tests/support/eventually.h"
#include "tests/support/golden.h"
#include "tests/support/service.h"

// The permissions of both services on a real API server, and that they suffice.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCertificate = "minicluster-operator-webhook-certificate";

std::string subject(const std::string& account) {
  return std::string("system:serviceaccount:") + kReleaseNamespace + ":" + account;
}

bool can(const std::string& who, std::vector<std::string> what, const Kubectl& where) {
  what.insert(what.begin(), {"auth", "can-i", "--quiet"});
  what.push_back("--as=" + who);
  return where(what).code == 0;
}

// --- the permissions ----------------------------------------------------------------------------

// The lines of `kubectl auth can-i --list`, with single spaces.
std::set<std::string> listed(const std::string& account, const Kubectl& where) {
  std::set<std::string> lines;
  for (const std::string& line :
       lines_of(where.must({"auth", "can-i", "--list", "--as=" + subject(account)}))) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    lines.insert(joined);
  }
  return lines;
}

// The permissions beyond those of every ServiceAccount.
std::string beyond_all(const std::string& account, const Kubectl& where) {
  const std::set<std::string> everybody = listed("nobody", where);
  std::string out;
  for (const std::string& line : listed(account, where)) {
    if (!everybody.contains(line)) out += "  " + line + "\n";
  }
  return out.empty() ? "  nothing\n" : out;
}

class Rights : public ReleaseStory {
 protected:
  std::string text(const std::string& title) const {
    std::string out;
    for (const std::string& account : {kControllerAccount, kWebhookAccount}) {
      out += title + account + ", in a user's namespace:\n" + beyond_all(account, kubectl);
      out += title + account + ", in the release's namespace:\n" + beyond_all(account, system);
    }
    return out;
  }
};

TEST_F(Rights, AreTheseAndNoMore) {
  std::string now =
      "What `kubectl auth can-i --list` says of both ServiceAccounts, beyond what it says of "
      "every\n"
      "ServiceAccount. Resource, URLs, names, verbs.\n\n";
  now += text("");
  must_helm({"upgrade", kRelease, chart(), "--reuse-values", "--set",
             "namespaces={" + kubectl.namespace_name() + "}"});
  const Namespace other(Stage::get().kubectl());
  now += "\nWith the value `namespaces`:\n";
  now += text("");
  now += kControllerAccount + ", in a namespace that is not listed:\n" +
         beyond_all(kControllerAccount, other.kubectl());
  const auto before = listed(kControllerAccount, kubectl);
  must_helm({"upgrade", kRelease, chart(), "--reuse-values", "--set", "kueue.enabled=true"});
  now += "\nWith the value `kueue.enabled`, in addition:\n";
  const auto with_kueue = listed(kControllerAccount, kubectl);
  for (const std::string& line : with_kueue) {
    if (!before.contains(line)) now += "  " + line + "\n";
  }
  must_helm({"upgrade", kRelease, chart(), "--reuse-values", "--set",
             "gangKinds={Native,Coscheduling,Volcano}"});
  now += "\nWith the value `gangKinds`, in addition:\n";
  for (const std::string& line : listed(kControllerAccount, kubectl)) {
    if (!with_kueue.contains(line)) now += "  " + line + "\n";
  }
  std::cout << now;
  expect_golden("tests/charts/minicluster-operator/rights.txt", now);
}

struct Right {
  std::vector<std::string> what;
  bool there;  // in a namespace of a user
  bool own;    // in the namespace of the release
};

TEST_F(Rights, ToSecretsAreToMakeThemAndToOnesOwnByName) {
  const std::string certificate = "secret/" + kCertificate;
  const std::vector<Right> rights = {
      {{"create", "secrets"}, true, true},
      {{"get", "secrets"}, false, false},
      {{"list", "secrets"}, false, false},
      {{"watch", "secrets"}, false, false},
      {{"update", "secrets"}, false, false},
      {{"patch", "secrets"}, false, false},
      {{"delete", "secrets"}, false, false},
      {{"get", certificate}, false, false},
      {{"watch", certificate}, false, true},
      {{"update", certificate}, false, true},
      {{"watch", certificate + "-ca"}, false, true},
      {{"delete", certificate}, false, false},
      {{"get", "secret/another"}, false, false},
      {{"watch", "secret/another"}, false, false},
      {{"create", "pods", "--subresource=exec"}, false, false},
      {{"get", "pods", "--subresource=log"}, false, false},
  };
  for (const auto& [what, there, own] : rights) {
    const std::string who = subject(kControllerAccount);
    EXPECT_EQ(can(who, what, kubectl), there) << what[0] << " " << what[1] << ", a user's";
    EXPECT_EQ(can(who, what, system), own) << what[0] << " " << what[1] << ", its own";
  }
}

TEST_F(Rights, EditorsScaleAndViewersLook) {
  for (const char* role : {"editor", "viewer"}) {
    kubectl.must({"create", "rolebinding", role, std::string("--user=") + role,
                  std::string("--clusterrole=minicluster-operator-") + role});
  }
  EXPECT_TRUE(can("editor", {"patch", "miniclusters", "--subresource=scale"}, kubectl));
  EXPECT_TRUE(can("editor", {"create", "miniclusters"}, kubectl));
  EXPECT_FALSE(can("editor", {"patch", "miniclusters", "--subresource=status"}, kubectl));
  EXPECT_TRUE(can("viewer", {"watch", "miniclusters"}, kubectl));
  EXPECT_FALSE(can("viewer", {"create", "miniclusters"}, kubectl));
  EXPECT_FALSE(can("viewer", {"patch", "miniclusters", "--subresource=scale"}, kubectl));
}

// --- they suffice -------------------------------------------------------------------------------

// The controller as the chart starts it, without certificates of an earlier release.
class Life : public ReleaseStory {
 protected:
  Life() {
    system.must({"delete", "secret", kCertificate, kCertificate + "-ca", "--ignore-not-found"});
    Stage::get().wait_until_owning(subject(kControllerAccount), kubectl);
    const json deployment = system.get({"deployment", kControllerAccount});
    Stage::get().restart_controller(kubeconfig_of(kControllerAccount),
                                    container_of(deployment).at("args"));
  }

  [[nodiscard]] bool has_its_objects(const std::string& name) const {
    const Outcome outcome =
        kubectl({"wait", "--for=condition=ObjectsReady", "--timeout=30s", "minicluster", name});
    EXPECT_EQ(outcome.code, 0) << outcome.err << Stage::get().controller_log();
    return outcome.code == 0;
  }

  json job(const std::string& name) const { return kubectl.get({"job", name}); }

  // The controller logs each refusal: `User "..." cannot list resource ...`, `cannot set
  // blockOwnerDeletion ...`. Other errors are not about permissions: namespaces of earlier tests
  // may be terminating.
  void expect_no_refusal() const {
    EXPECT_THAT(Stage::get().controller_log(), Not(HasSubstr(" cannot ")));
  }
};

TEST_F(Life, OfAMiniClusterWithEveryKindOfObjectNeedsNoMore) {
  const json store = {
      {"image", "redis"}, {"name", "store"}, {"command", "serve"}, {"ports", {6379}}};
  create(minicluster("life", {{"services", {store}}}));
  ASSERT_TRUE(has_its_objects("life"));
  EXPECT_FALSE(kubectl.get({"pod", "life-services"}).is_null());
  const std::string uid_of_job = job("life").at("metadata").at("uid");

  // Also for an object that the watch no longer sees.
  kubectl.must({"label", "service", "life", "app.kubernetes.io/managed-by-"});
  kubectl.must({"delete", "job", "life", "--wait=false"});
  EXPECT_TRUE(eventually([&] {
    const json now = job("life");
    const json service = kubectl.get({"service", "life"});
    return !now.is_null() && now.at("metadata").at("uid") != uid_of_job &&
           at_path(service, {"metadata", "labels", "app.kubernetes.io/managed-by"}) ==
               "minicluster-operator";
  })) << Stage::get().controller_log();

  kubectl.must({"scale", "minicluster", "life", "--replicas=1"});
  EXPECT_TRUE(eventually([&] { return at_path(job("life"), {"spec", "parallelism"}) == 1; }));
  EXPECT_TRUE(eventually([&] { return !kubectl.get({"events"}).at("items").empty(); }));
  expect_no_refusal();
}

TEST_F(Life, OfTheWebhooksCertificatesNeedsNoMore) {
  const auto trusted = [&](const std::string& kind) {
    const json configuration = system.get({kind + "webhookconfiguration", kWebhookAccount});
    return at_path(configuration.at("webhooks").at(0), {"clientConfig", "caBundle"});
  };
  const auto bundle = [&] {
    return at_path(system.get({"secret", kCertificate}), {"data", "ca.crt"});
  };
  const auto whole = [&] {
    return bundle().is_string() && trusted("mutating") == bundle() &&
           trusted("validating") == bundle() &&
           !system.get({"secret", kCertificate + "-ca"}).is_null();
  };
  EXPECT_TRUE(eventually(whole)) << Stage::get().controller_log();
  // A repair needs permission to update existing objects.
  system.patch("secret", kCertificate,
               R"([{"op": "replace", "path": "/data/tls.key", "value": ""}])"_json);
  system.patch("mutatingwebhookconfiguration", kWebhookAccount,
               R"([{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}])"_json);
  EXPECT_TRUE(eventually([&] {
    return !text_at(system.get({"secret", kCertificate}), {"data", "tls.key"}).empty() && whole();
  })) << Stage::get().controller_log();
  EXPECT_THAT(Stage::get().controller_log(), HasSubstr("\"Leading\""));
  expect_no_refusal();
}

// A controller with secured metrics, which may create TokenReviews, and the role of the readers.
TEST_F(Life, OfAScrapeNeedsNoMore) {
  const json deployment = system.get({"deployment", kControllerAccount});
  std::vector<std::string> command = container_of(deployment).at("args");
  command.insert(command.begin(),
                 {controller_program(), "--kubeconfig", kubeconfig_of(kControllerAccount)});
  Service controller(command, MetricsOver::Https);
  ASSERT_TRUE(controller.wait_until_ready());

  kubectl.must({"create", "serviceaccount", "prometheus"});
  const auto scraped = [&] { return controller.scrape(kubectl.token_of("prometheus")); };
  const std::string reader = "system:serviceaccount:" + kubectl.namespace_name() + ":prometheus";
  EXPECT_EQ(scraped(), "user \"" + reader + "\" may not get path \"/metrics\"\n403");
  const json subject = {
      {"kind", "ServiceAccount"}, {"name", "prometheus"}, {"namespace", kubectl.namespace_name()}};
  must_helm({"upgrade", kRelease, chart(), "--reuse-values", "--set-json",
             "metrics.reader.subjects=[" + subject.dump() + "]"});
  // Each time with a new token, because a review is cached for half a minute.
  EXPECT_TRUE(eventually([&] { return scraped().ends_with("\n200"); })) << scraped();
  EXPECT_THAT(controller.log(), Not(HasSubstr(" cannot ")));
  controller.stop();
}

TEST_F(Life, OfAMiniClusterThatIsDeletedAtItsEndNeedsNoMore) {
  create(minicluster("over", {{"cleanup", true}, {"deadlineSeconds", 1}}));
  EXPECT_TRUE(eventually([&] { return kubectl.get({"minicluster", "over"}).is_null(); }))
      << Stage::get().controller_log();
  expect_no_refusal();
}

}  // namespace
}  // namespace mc::test
