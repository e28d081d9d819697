#include <csignal>

#include "tests/integration/certificates_story.h"

// The webhook's certificates with several controllers, one of them the leader.
namespace mc::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kLease = "minicluster-controller";

class CertificatesOfTheLeader : public CertificatesStory {
 protected:
  std::vector<std::string> electing() const {
    return command({"--leader-elect", "--leader-election-namespace", ns,
                    "--leader-election-lease-duration=6s", "--leader-election-renew-deadline=4s",
                    "--leader-election-retry-period=1s"});
  }

  std::string holder() const {
    return value_at(kubectl.get({"lease", kLease}), "/spec/holderIdentity", std::string());
  }

  // Starts a controller, and waits until it is ready and has seen all objects that it would manage.
  void follow() {
    controller.emplace(electing());
    ASSERT_TRUE(controller->wait_until_ready());
    EXPECT_TRUE(eventually([&] {
      const std::string log = controller->log();
      return log.find("Listed MutatingWebhookConfiguration") != std::string::npos &&
             log.find("Listed ValidatingWebhookConfiguration") != std::string::npos &&
             log.find("Listed Secret") != log.rfind("Listed Secret");
    })) << controller->end_of_log();
    EXPECT_TRUE(
        eventually([&] { return controller->log().find("The leader is") != std::string::npos; }));
  }

  void expect_follower_wrote_nothing() const {
    const std::string metrics = controller->get("/metrics").value_or("");
    EXPECT_THAT(metrics, HasSubstr("method=\"GET\""));
    EXPECT_THAT(metrics, Not(ContainsRegex("method=\"(POST|PUT|PATCH|DELETE)\"")));
    EXPECT_THAT(controller->log(), Not(HasSubstr("Failed to keep the webhook's certificates")))
        << "nor did it try to";
  }

  // The resourceVersions of all four objects.
  std::vector<std::string> versions_now() const {
    std::vector<std::string> versions;
    for (const auto& [kind, name] : {std::pair<std::string, std::string>("secret", kSecret),
                                     {"secret", authority},
                                     {"mutatingwebhookconfiguration", ns},
                                     {"validatingwebhookconfiguration", ns}}) {
      versions.push_back(kubectl.get({kind, name})["metadata"]["resourceVersion"]);
    }
    return versions;
  }
};

TEST_F(CertificatesOfTheLeader, AreNotMadeByOneThatDoesNotLead) {
  configure();
  create({{"apiVersion", "coordination.k8s.io/v1"},
          {"kind", "Lease"},
          {"metadata", {{"name", kLease}}},
          {"spec", {{"holderIdentity", "somebody"}, {"leaseDurationSeconds", 3600}}}});
  follow();
  expect_follower_wrote_nothing();
  EXPECT_TRUE(secret(kSecret).is_null());
  EXPECT_TRUE(secret(authority).is_null());
  EXPECT_EQ(bundle("mutatingwebhookconfiguration"), "");
  EXPECT_EQ(bundle("validatingwebhookconfiguration"), "");

  kubectl.patch("lease", kLease, {{"spec", {{"holderIdentity", ""}}}});
  serve();
  EXPECT_TRUE(whole());
  const std::string log = controller->log();
  EXPECT_LT(log.find("\"Leading\""), log.find("Created Secret")) << log;
}

TEST_F(CertificatesOfTheLeader, AreTakenOverFromOneThatWasKilled) {
  configure();
  Service leader(electing());
  ASSERT_TRUE(eventually([&] { return !secret(kSecret).is_null(); })) << leader.end_of_log();
  follow();
  serve();
  ASSERT_TRUE(whole());
  const std::vector<std::string> before = versions_now();
  const std::string trusted = bundle("mutatingwebhookconfiguration");
  expect_follower_wrote_nothing();

  const std::string first = holder();
  leader.signal(SIGKILL);
  ASSERT_TRUE(eventually([&] { return !holder().empty() && holder() != first; }));
  ASSERT_TRUE(
      eventually([&] { return controller->log().find("\"Leading\"") != std::string::npos; }));
  // It leaves correct objects alone, and recreates a lost one with the same authority.
  EXPECT_EQ(versions_now(), before);
  kubectl.must({"delete", "secret", kSecret});
  EXPECT_TRUE(eventually([&] { return whole(); }, kSoon)) << controller->end_of_log();
  std::vector<std::string> after = versions_now();
  EXPECT_NE(after[0], before[0]);
  after[0] = before[0];
  EXPECT_EQ(after, before) << "the authority and both caBundles are untouched";
  EXPECT_EQ(bundle("mutatingwebhookconfiguration"), trusted);
  EXPECT_THAT(controller->log(), Not(HasSubstr("Created an authority")));
}

}  // namespace
}  // namespace mc::test
