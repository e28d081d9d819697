#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/controller/queueing/fair_share.h"
#include "services/controller/queueing/limits.h"
#include "services/controller/queueing/scheduler.h"
#include "services/controller/queueing/usage.h"

namespace mc::controller::queueing {

// What a dump shows of a queue: of long lists the first, and how many there are.
struct QueueContents {
  struct Admitted {
    Running running;
    std::string job;         // the uid of its Job; "" without one
    std::int64_t pods = 0;   // of its Job
    std::int64_t grant = 0;  // pods that its admission under way allows; 0: none is under way
  };
  struct InQueue {
    Waiting waiting;
    std::int64_t pods = 0;          // that its Job will have
    bool next = false;              // it starts with the next decision
    std::optional<Shortage> never;  // it can never fit
    Reason reason;
    std::optional<Time> estimate = {};           // of its start
    std::optional<FairShareOf> fair_share = {};  // of its account
  };
  struct Growing {
    std::string key;
    std::int64_t pods = 0, wanted = 0;
    std::optional<Shortage> shortage;
  };

  Time now;
  std::optional<Policy> policy;
  std::string why;  // without a policy: why nothing starts
  api::Amounts used;
  std::map<std::string, api::Amounts> used_in;  // by namespace that has limits
  std::size_t under_way = 0;
  std::string head;  // EASYBackfill and StrictFIFO: the key of the one that holds back others
  std::optional<Time> promise;     // EASYBackfill: when the head starts at the latest
  std::vector<Admitted> admitted;  // by key
  std::vector<InQueue> pending;    // in the order of the queue
  std::vector<Growing> growing;    // by key
  Uses uses;                       // with fair share, of those accounts that are remembered
  std::size_t admitted_count = 0, pending_count = 0, growing_count = 0;
};

}  // namespace mc::controller::queueing
