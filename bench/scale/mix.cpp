#include "bench/scale/mix.h"

#include <cstdio>

namespace mc::bench {
namespace {

std::string name_of(const Class& of, int number) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.*s-%06d", static_cast<int>(of.name.size()), of.name.data(),
                number);
  return out;
}

// `place`: among the members of its queue.
const Class& class_at(int place) {
  int rest = place % 10;
  for (const Class& one : kClasses) {
    if (rest < one.of_ten) return one;
    rest -= one.of_ten;
  }
  return kClasses[0];
}

}  // namespace

std::string queue_name(int queue) { return "queue-" + std::to_string(queue); }

std::vector<Member> mix(int count) {
  std::vector<Member> out;
  out.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const Class& of = class_at(i / kQueues);
    out.push_back({queue_name(i % kQueues), name_of(of, i), &of});
  }
  return out;
}

std::vector<Member> blockers() {
  std::vector<Member> out;
  out.reserve(kQueues);
  for (int i = 0; i < kQueues; ++i) {
    out.push_back({queue_name(i), name_of(kBlocker, i), &kBlocker});
  }
  return out;
}

const Class* class_of(std::string_view member) {
  const std::string_view name = member.substr(0, member.find('-'));
  for (const Class& one : kClasses) {
    if (one.name == name) return &one;
  }
  return name == kBlocker.name ? &kBlocker : nullptr;
}

double least_seconds(const std::vector<Member>& members) {
  double sum = 0;
  for (const Member& one : members) {
    sum += one.of->cpus * std::chrono::duration<double>(one.of->runtime).count();
  }
  return sum / (kQueues * kCpusOfQueue);
}

}  // namespace mc::bench
