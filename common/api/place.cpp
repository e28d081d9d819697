#include "common/api/place.h"

#include <string>

#include "common/base/utf8.h"

namespace mc::api {
namespace {

constexpr std::size_t kLongestName = 256;

std::string shown(std::string_view name) {
  if (name.size() <= kLongestName) return std::string(name);
  return std::string(cut_utf8(name, kLongestName)) + "...";
}

}  // namespace

FieldPath Place::path() const {
  if (parent_ == nullptr) return FieldPath(name_);
  const FieldPath above = parent_->path();
  if (kind_ == Kind::Item) return above[index_];
  return kind_ == Kind::Key ? above.key(shown(name_)) : above / shown(name_);
}

}  // namespace mc::api
