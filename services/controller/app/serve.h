#pragma once
#include "services/controller/app/options.h"

namespace mc::controller {

// Runs the controller until SIGTERM or SIGINT, waits for running reconciles, and returns 0. If it
// cannot start, it prints one line on standard error and returns 1. Losing leadership ends the
// process with 1. After SIGUSR2 it writes its state into the log (Controller::dump) and goes on.
// Blocks these signals in the calling thread; call it before any other thread starts.
int serve(const Options& options);

}  // namespace mc::controller
