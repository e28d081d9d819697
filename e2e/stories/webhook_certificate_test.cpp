#include <chrono>
#include <iostream>

#include "e2e/stories/installation.h"
#include "e2e/stories/pod_story.h"

// The controller's certificate renewals during the whole run. The last suite, so that it only waits
// for the remaining ones.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;

// As installed, one every 45 s; an authority outlives several leaf certificates.
TEST(WebhookCertificate, TenRotationsLoseNoAdmission) {
  EXPECT_TRUE(test::eventually([] { return Installation::get().certificates().leaves.size() > 11; },
                               10min));
  const auto made = Installation::get().certificates();
  EXPECT_GT(made.authorities.size(), 1);
  const AdmissionLoad::Counts counts = Installation::get().load().counts();
  EXPECT_THAT(counts.failed, ::testing::IsEmpty());
  std::cout << made.leaves.size() - 1 << " rotations of the certificate, "
            << made.authorities.size() - 1
            << " of the authority; admissions so far: " << counts.accepted << " accepted, "
            << counts.refused << " refused, " << counts.failed.size() << " failed" << std::endl;
}

}  // namespace
}  // namespace mc::e2e
