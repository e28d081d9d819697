#pragma once
#include "services/controller/app/options.h"

namespace mc::controller {

// Runs the controller until SIGTERM or SIGINT, lets the passes under way end, and returns 0; 1,
// after one line on standard error, when it cannot start. Losing leadership ends the process with
// 1. Blocks both signals in the calling thread; call it before there is any other.
int serve(const Options& options);

}  // namespace mc::controller
