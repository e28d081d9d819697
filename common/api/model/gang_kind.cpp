#include "common/api/model/gang_kind.h"

#include <algorithm>
#include <iterator>

namespace mc::api {

const GangKindFacts& facts_of(GangKind kind) {
  return *std::ranges::find(kGangKinds, kind, &GangKindFacts::kind);
}

GangKind gang_kind(std::string_view name) {
  const auto* found = std::ranges::find(kGangKinds, name, &GangKindFacts::name);
  return found == std::end(kGangKinds) ? GangKind::None : found->kind;
}

GangKind kind_of_scheduler(std::string_view name) {
  if (name.empty()) return GangKind::Native;
  const auto* found = std::ranges::find(kGangKinds, name, &GangKindFacts::scheduler);
  return found == std::end(kGangKinds) ? GangKind::None : found->kind;
}

GangKind kind_of_version(std::string_view api_version) {
  const auto* found = std::ranges::find_if(kGangKinds, [&](const GangKindFacts& facts) {
    return !api_version.empty() && std::ranges::count(facts.versions, api_version) > 0;
  });
  return found == std::end(kGangKinds) ? GangKind::None : found->kind;
}

}  // namespace mc::api
