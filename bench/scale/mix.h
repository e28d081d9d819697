#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace mc::bench {

// A class of Kueue's own gate (test/performance/scheduler/configs/baseline/generator.yaml of its
// repository).
struct Class {
  std::string_view name;
  int cpus, priority;
  std::chrono::milliseconds runtime;
  int of_ten;  // how many of ten members of the mix
};
inline constexpr Class kClasses[] = {{"small", 1, 50, std::chrono::milliseconds(200), 7},
                                     {"medium", 5, 100, std::chrono::milliseconds(500), 2},
                                     {"large", 20, 200, std::chrono::milliseconds(1000), 1}};
// Holds all room until the clock starts. Of higher priority, so that nothing preempts it.
inline constexpr Class kBlocker{"blocker", 20, 1000, {}, 0};

// Of that gate, too: queues, each in a namespace of its own, in cohorts.
inline constexpr int kQueues = 30, kCohorts = 5, kCpusOfQueue = 20, kMostBorrowed = 100;

struct Member {
  std::string ns, name;  // the name begins with that of the class
  const Class* of;
};

std::string queue_name(int queue);

// The same number of members, to one or two, for each queue.
std::vector<Member> mix(int count);
// One for each queue; together they hold all CPUs.
std::vector<Member> blockers();

// Null: no class has such members.
const Class* class_of(std::string_view member);

// The time that the members need at least if no CPU is ever idle.
double least_seconds(const std::vector<Member>& members);

}  // namespace mc::bench
