#include "services/kubectl-minicluster/client/patience.h"

#include <gtest/gtest.h>

#include <vector>

namespace mc::kubectl {
namespace {

enum class Seen { Success, Refused, Unauthorized };

struct Happening {
  int second;
  Seen seen;
};

Error error_for(Seen seen) {
  return {ErrorKind::Forbidden, seen == Seen::Refused
                                    ? "list MiniCluster in a: 403 Forbidden: 401 is no matter"
                                    : "list MiniCluster in a: 401 Unauthorized: Unauthorized"};
}

// The second of the refusal that is final; -1: none is.
int end_of(const std::vector<Happening>& happenings) {
  Patience patience;
  for (const auto& [second, seen] : happenings) {
    if (seen == Seen::Success) {
      patience.succeeded();
    } else if (patience.is_final(error_for(seen),
                                 Patience::Time() + std::chrono::seconds(1000 + second))) {
      return second;
    }
  }
  return -1;
}

TEST(Patience, HasNoneWithoutASuccessButForOne401) {
  EXPECT_EQ(end_of({{0, Seen::Refused}}), 0);
  EXPECT_EQ(end_of({{0, Seen::Unauthorized}, {1, Seen::Unauthorized}}), 1);
  EXPECT_EQ(end_of({{0, Seen::Unauthorized}, {1, Seen::Refused}}), 1);
  EXPECT_EQ(end_of({{0, Seen::Unauthorized}, {1, Seen::Success}, {2, Seen::Unauthorized}}), -1);
}

TEST(Patience, LastsAMinuteAfterASuccess) {
  for (const Seen refusal : {Seen::Refused, Seen::Unauthorized}) {
    EXPECT_EQ(end_of({{0, Seen::Success},
                      {5, refusal},
                      {20, refusal},
                      {40, refusal},
                      {64, refusal},
                      {65, refusal}}),
              65);
    EXPECT_EQ(end_of({{0, Seen::Success},
                      {5, refusal},
                      {30, refusal},
                      {50, Seen::Success},
                      {60, refusal},
                      {80, refusal},
                      {100, refusal},
                      {120, refusal}}),
              120);
  }
}

TEST(Patience, ALongTimeWithoutARefusalIsASuccess) {
  EXPECT_EQ(end_of({{0, Seen::Success}, {5, Seen::Refused}, {600, Seen::Refused}}), -1);
}

}  // namespace
}  // namespace mc::kubectl
