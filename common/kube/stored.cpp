#include "common/kube/stored.h"

#include <utility>

namespace mc::kube {

Stored<json>::Held::Held(std::string of, std::uint64_t number, Object tree)
    : owner(std::move(of)), version(number), form(Form{std::move(tree), ""}) {}

Stored<json>::Stored(Object tree) {
  if (tree == nullptr) return;
  std::string owner = controller_uid(*tree);
  const std::uint64_t version = version_number(metadata_text(*tree, "resourceVersion"));
  held_ = std::make_shared<Held>(std::move(owner), version, std::move(tree));
}

Object Stored<json>::object() const {
  if (held_ == nullptr) return nullptr;
  return held_->form.with([](const Form& form) {
    return form.tree ? form.tree : std::make_shared<const json>(parse_answer(form.text, 0));
  });
}

void Stored<json>::pack() const {
  if (held_ == nullptr) return;
  // Freed outside the lock.
  const Object tree = held_->form.with([](Form& form) {
    if (form.tree == nullptr) return Object();
    form.text = dump(*form.tree);
    form.text.shrink_to_fit();
    return std::exchange(form.tree, nullptr);
  });
}

std::string Stored<json>::uid() const {
  return held_ == nullptr ? std::string() : metadata_text(*object(), "uid");
}

}  // namespace mc::kube
