#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/precompiled.h"

// What nearly every test includes, compiled once for all of them.
