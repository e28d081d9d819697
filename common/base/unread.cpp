#include "common/base/unread.h"

#include <algorithm>

namespace mc {
namespace {

void add(Unread& to, std::string_view path) {
  const std::string_view name = path.substr(0, path.find('.'));
  auto member = std::ranges::find(to.members, name, &Unread::name);
  if (member == to.members.end()) {
    member = to.members.insert(to.members.end(), Unread{std::string(name), {}});
  }
  if (name.size() < path.size()) add(*member, path.substr(name.size() + 1));
}

}  // namespace

const Unread* Unread::member(std::string_view member_name) const {
  const auto found = std::ranges::find(members, member_name, &Unread::name);
  return found == members.end() ? nullptr : &*found;
}

Unread unread(const std::vector<std::string>& paths) {
  Unread out;
  add(out, "metadata.managedFields");
  for (const std::string& path : paths) add(out, path);
  return out;
}

}  // namespace mc
