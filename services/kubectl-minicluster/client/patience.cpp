#include "services/kubectl-minicluster/client/patience.h"

#include <utility>

#include "services/kubectl-minicluster/client/session.h"

namespace mc::kubectl {
namespace {

// What is refused is asked for again after 20 s at most. A watch may be silent for a minute, so its
// success is also seen by the absence of refusals.
constexpr std::chrono::seconds kLongestPause{30};

}  // namespace

void Patience::succeeded() {
  has_succeeded_ = true;
  since_.reset();
}

bool Patience::is_final(const Error& refusal, Time now) {
  if (!has_succeeded_) return !is_unauthorized(refusal) || std::exchange(was_unauthorized_, true);
  if (!since_ || now - last_ > kLongestPause) since_ = now;
  last_ = now;
  return now - *since_ >= limit_;
}

}  // namespace mc::kubectl
