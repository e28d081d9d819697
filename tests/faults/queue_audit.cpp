#include "tests/faults/queue_audit.h"

#include <algorithm>
#include <iostream>

#include "tests/faults/audit_writes.h"
#include "tests/faults/limit_audit.h"
#include "tests/faults/promise_audit.h"

namespace mc::test {

std::vector<std::string> blame_queue(const std::filesystem::path& log, const std::string& space) {
  LimitAudit limits;
  PromiseAudit promises;
  AuditedWrite::Time last;
  for (const AuditedWrite& write : audited_writes(log, space)) {
    limits.take(write);
    promises.take(write);
    last = std::max(last, write.answered);
  }
  promises.end(last);
  std::cout << "pods judged: " << limits.judged() << ", most at a time: " << limits.most()
            << "; promised starts: " << promises.promises()
            << ", told to be late: " << promises.delayed() << "\n";
  std::vector<std::string> out = limits.blamed();
  out.insert(out.end(), promises.blamed().begin(), promises.blamed().end());
  if (limits.judged() == 0) out.push_back("no pod was created in " + space);
  return out;
}

}  // namespace mc::test
