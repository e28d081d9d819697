#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc {

// A member of an object that is read, with those of its own members that are. Of a list, they are
// the members of each entry.
struct Fields {
  std::string name{};             // "" of the object itself
  std::vector<Fields> members{};  // none: all of it is read

  bool are_all() const { return members.empty(); }
  // The one with that name; null: it is not read.
  const Fields* member(std::string_view member_name) const;
};

inline const Fields kAllFields;

}  // namespace mc
