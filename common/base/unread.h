#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mc {

// A member that nobody reads, or one with such members.
struct Unread {
  std::string name;  // "" of the object itself
  std::vector<Unread> members;

  // The one with that name; null: all of that member is read.
  const Unread* member(std::string_view member_name) const;
  bool nothing_is_read() const { return members.empty(); }
};

// Members of an object by their paths, such as `spec.containers.env`, and metadata.managedFields,
// which nobody reads. A member of a list is one of each of its entries.
Unread unread(const std::vector<std::string>& paths);

inline const Unread kManagedFields = unread({});

}  // namespace mc
