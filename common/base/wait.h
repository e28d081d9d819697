#pragma once
#include <chrono>
#include <stop_token>

namespace mc {

// Blocks the calling thread for `delay` of real time, or until `stop` is requested.
void wait(std::chrono::steady_clock::duration delay, const std::stop_token& stop);

}  // namespace mc
