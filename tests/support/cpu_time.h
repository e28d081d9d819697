#pragma once
#include <functional>

namespace mc::test {

// Seconds of processor time that `work` takes in the calling thread, the least of three runs.
// Unlike the clock's time it does not grow with what else the machine does.
double cpu_seconds(const std::function<void()>& work);

}  // namespace mc::test
