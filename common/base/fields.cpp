#include "common/base/fields.h"

#include <algorithm>

namespace mc {

const Fields* Fields::member(std::string_view member_name) const {
  const auto found = std::ranges::find(members, member_name, &Fields::name);
  return found == members.end() ? nullptr : &*found;
}

}  // namespace mc
