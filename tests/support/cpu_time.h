#pragma once
#include <functional>

namespace mc::test {

// Seconds of CPU time that `work` takes in the calling thread, the minimum of three runs. Unlike
// wall time it does not depend on the machine's load.
double cpu_seconds(const std::function<void()>& work);

// That of the calling thread so far.
double thread_cpu_seconds();

}  // namespace mc::test
