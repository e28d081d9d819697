#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/faults/audit_writes.h"

namespace mc::test {

// The part of blame_queue() about promised starts.
class PromiseAudit {
 public:
  // In the order in which they were done.
  void take(const AuditedWrite& write);
  // After the last one.
  void end(AuditedWrite::Time time);
  const std::vector<std::string>& blamed() const { return blamed_; }
  std::size_t promises() const { return promises_; }  // that were given
  std::size_t delayed() const { return delayed_; }    // told StartDelayed

 private:
  // What the status of a MiniCluster that waits says.
  struct Told {
    std::string promised;  // status.promisedStartTime
    std::int64_t generation = 0;
    std::string latest;  // "It starts at ... at the latest."
    AuditedWrite::Time at;
  };

  void judge_latest(const std::string& name, AuditedWrite::Time now);

  std::map<std::string, Told> told_;
  std::vector<std::string> blamed_;
  std::size_t promises_ = 0, delayed_ = 0;
};

}  // namespace mc::test
