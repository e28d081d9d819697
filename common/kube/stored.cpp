#include "common/kube/stored.h"

#include <charconv>
#include <utility>

namespace mc::kube {

Stored::Stored(Object tree)
    : tree_(std::move(tree)),
      version_(tree_ ? version_number(metadata_text(*tree_, "resourceVersion")) : 0) {}

Object Stored::object() const {
  if (packed_ == nullptr) return tree_;
  return std::make_shared<const json>(parse_answer(packed_->text, 0));
}

std::string Stored::owner() const {
  if (packed_ != nullptr) return packed_->owner;
  return tree_ == nullptr ? std::string() : controller_uid(*tree_);
}

Stored Stored::packed() const {
  if (tree_ == nullptr) return *this;
  Packed made{dump(*tree_), owner()};
  made.text.shrink_to_fit();
  Stored out;
  out.packed_ = std::make_shared<const Packed>(std::move(made));
  out.version_ = version_;
  return out;
}

std::uint64_t version_number(const std::string& text) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size() ? version : 0;
}

}  // namespace mc::kube
