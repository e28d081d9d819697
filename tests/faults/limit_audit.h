#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/faults/audit_writes.h"

namespace mc::test {

// The part of blame_queue() about limits.
class LimitAudit {
 public:
  // In the order in which they were done.
  void take(const AuditedWrite& write);
  const std::vector<std::string>& blamed() const { return blamed_; }
  // The most pods that were counted at a time, and how many were judged.
  std::int64_t most() const { return most_; }
  std::size_t judged() const { return judged_; }

 private:
  using Time = AuditedWrite::Time;
  struct Job {
    bool runs = false, by_others = false, is_gone = false;
    // Since when it may have one pod, two pods ...
    std::vector<Time> allowed;
    Time shrunk{};  // when it was made smaller
  };
  struct Pod {
    std::string job;
    Time created;
  };
  struct Published {
    Time since;
    std::int64_t pods;
  };

  void take_setup(const AuditedWrite& write);
  void take_limits(const AuditedWrite& write);
  void take_job(const AuditedWrite& write);
  void take_end_of_job(const AuditedWrite& write);
  void take_pod(const AuditedWrite& write);
  void judge(const AuditedWrite& write, const std::string& job);
  std::int64_t limit_since(Time time) const;
  std::int64_t used() const;

  std::map<std::string, Job> jobs_;
  std::map<std::string, Pod> pods_;  // those that count
  std::set<std::string> ended_;      // pods
  std::vector<Published> published_;
  std::set<std::int64_t> limits_;  // of FluxSetups
  std::vector<std::string> blamed_;
  std::int64_t most_ = 0;
  std::size_t judged_ = 0;
};

}  // namespace mc::test
