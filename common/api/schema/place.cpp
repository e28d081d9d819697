#include "common/api/schema/place.h"

namespace mc::api {

FieldPath Place::path() const {
  if (parent_ == nullptr) return FieldPath(name_);
  const FieldPath above = parent_->path();
  if (kind_ == Kind::Item) return above[index_];
  return kind_ == Kind::Key ? above.key(name_) : above / name_;
}

}  // namespace mc::api
