#include "common/base/backoff.h"

#include <gtest/gtest.h>

namespace mc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr BackoffPolicy kWatch{milliseconds{800}, seconds{30}};

TEST(BackoffDelay, DoublesUpToItsCap) {
  const struct {
    int failures;
    milliseconds delay;
  } cases[] = {{-1, milliseconds{0}},   {0, milliseconds{0}},     {1, milliseconds{800}},
               {2, milliseconds{1600}}, {6, milliseconds{25600}}, {7, seconds{30}},
               {100, seconds{30}},      {2'000'000, seconds{30}}};
  for (const auto& one : cases) {
    EXPECT_EQ(backoff_delay(kWatch, one.failures), one.delay) << one.failures;
  }
}

TEST(BackoffDelay, IsTheCapWhereTheFirstIsLonger) {
  EXPECT_EQ(backoff_delay({seconds{9}, seconds{2}}, 1), seconds{2});
}

TEST(Backoff, IsStretchedByTheJitter) {
  const Backoff::TimePoint start;
  Backoff backoff(kWatch, seconds{120});
  EXPECT_EQ(backoff.next(start, 0.0), milliseconds{800});
  EXPECT_EQ(backoff.next(start, 0.5), milliseconds{2400});
  EXPECT_EQ(backoff.next(start, 0.25), milliseconds{4000});
}

TEST(Backoff, StartsAgainAfterAReset) {
  const Backoff::TimePoint start;
  Backoff backoff(kWatch, seconds{120});
  (void)backoff.next(start, 0);
  (void)backoff.next(start, 0);
  backoff.reset();
  EXPECT_EQ(backoff.next(start, 0), milliseconds{800});
}

TEST(Backoff, StartsAgainAfterALongTimeWithoutFailure) {
  const Backoff::TimePoint start;
  Backoff backoff(kWatch, seconds{120});
  (void)backoff.next(start, 0);
  EXPECT_EQ(backoff.next(start + seconds{119}, 0), milliseconds{1600});
  EXPECT_EQ(backoff.next(start + seconds{119 + 120}, 0), milliseconds{800});
}

}  // namespace
}  // namespace mc
