#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace mc::test {

// A write in the API server's audit log of the control plane of the tests.
struct AuditedWrite {
  using Time = std::chrono::sys_time<std::chrono::microseconds>;

  // Of the object after the write, or, if the API server did not say it, of what was written last
  // before: a number that grows with each write of any object.
  std::int64_t version = 0;
  Time received, answered;
  std::string agent, verb, resource, name;
  bool is_status = false;
  // Null: it is gone, or the log does not have it, or the API server failed and may have written
  // it.
  json object;

  bool is_by_replica() const;
};

// Those in the namespace, and those of FluxSetups, in the order in which they were done.
std::vector<AuditedWrite> audited_writes(const std::filesystem::path& log,
                                         const std::string& space);

// One sentence's beginning: when, who and what.
std::string words(const AuditedWrite& write);

}  // namespace mc::test
