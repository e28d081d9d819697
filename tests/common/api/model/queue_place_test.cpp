#include "common/api/model/queue_place.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

TEST(QueuePlace, WhatIsWrittenIsRead) {
  for (const QueuePlace place :
       {QueuePlace{1, true}, QueuePlace{10, true}, QueuePlace{1000, false}}) {
    EXPECT_EQ(place_in(place_sentence(place)), place);
    EXPECT_EQ(place_in(place_sentence(place) + " 1 cpu must become free."), place);
  }
}

TEST(QueuePlace, OtherMessagesHaveNone) {
  for (const char* message : {"", "Place", "Place x in the queue.", "Place 1", "It needs 8 cpu.",
                              "Place -1 in the queue.", "At least one MiniCluster"}) {
    EXPECT_EQ(place_in(message), std::nullopt) << message;
  }
}

}  // namespace
}  // namespace mc::api
