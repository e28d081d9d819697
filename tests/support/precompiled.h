#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/precompiled.h"

// Headers that nearly every test includes, compiled once.
