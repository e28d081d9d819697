#include <chrono>
#include <iostream>

#include "e2e/stories/installation.h"
#include "e2e/stories/pod_story.h"

// What the controller renews by itself, seen over the whole run; the last suite, so that it waits
// for what is missing only.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;

// One every three quarters of a minute, as installed; an authority lives for some leaves.
TEST(WebhookCertificate, TenRotationsLoseNoAdmission) {
  EXPECT_TRUE(test::eventually([] { return Installation::get().certificates().leaves.size() > 11; },
                               10min));
  const auto made = Installation::get().certificates();
  EXPECT_GT(made.authorities.size(), 1);
  const AdmissionLoad::Counts counts = Installation::get().load();
  EXPECT_THAT(counts.failed, ::testing::IsEmpty());
  std::cout << made.leaves.size() - 1 << " rotations of the certificate, "
            << made.authorities.size() - 1
            << " of the authority; admissions so far: " << counts.accepted << " accepted, "
            << counts.refused << " refused, " << counts.failed.size() << " failed" << std::endl;
}

}  // namespace
}  // namespace mc::e2e
