#include "services/controller/queueing/pending.h"

#include <tuple>

namespace mc::controller::queueing {
namespace {

Kind kind_of(const Waiting& waiting) { return {waiting.ns, waiting.demand, waiting.longest}; }

}  // namespace

bool Before::operator()(const Waiting& a, const Waiting& b) const {
  if (a.priority != b.priority) return a.priority > b.priority;
  const Time a_place = a.created - a.ahead, b_place = b.created - b.ahead;
  return std::tie(a_place, a.name, a.ns) < std::tie(b_place, b.name, b.ns);
}

std::pair<Pending::const_iterator, bool> Pending::insert(Waiting waiting) {
  const auto [one, is_new] = all_.insert(std::move(waiting));
  if (is_new) kinds_[kind_of(*one)].insert(&*one);
  return {one, is_new};
}

void Pending::erase(const_iterator one) {
  const auto kind = kinds_.find(kind_of(*one));
  kind->second.erase(&*one);
  if (kind->second.empty()) kinds_.erase(kind);
  all_.erase(one);
}

void Pending::erase(const Waiting& waiting) {
  if (const auto one = find(waiting); one != end()) erase(one);
}

}  // namespace mc::controller::queueing
