#include "common/base/shared_text.h"

#include <functional>
#include <unordered_map>

#include "common/base/guarded.h"

namespace mc {
namespace {

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};

using Texts = std::unordered_map<std::string, std::atomic<std::size_t>, TextHash, std::equal_to<>>;

// Never destroyed: texts may outlive it.
Guarded<Texts>& all_texts() {
  static auto* const texts = new Guarded<Texts>();
  return *texts;
}

}  // namespace

SharedText::SharedText(std::string_view text) {
  if (text.empty()) return;
  entry_ = all_texts().with([&](Texts& texts) {
    auto found = texts.find(text);
    if (found == texts.end()) found = texts.try_emplace(std::string(text)).first;
    ++found->second;
    return &*found;
  });
}

SharedText::SharedText(const SharedText& other) : entry_(other.entry_) {
  if (entry_ != nullptr) ++entry_->second;
}

// The last one is gone only under the lock, where nobody can find the text meanwhile.
SharedText::~SharedText() {
  if (entry_ == nullptr) return;
  std::size_t number = entry_->second;
  while (number > 1) {
    if (entry_->second.compare_exchange_weak(number, number - 1)) return;
  }
  all_texts().with([&](Texts& texts) {
    if (--entry_->second == 0) texts.erase(texts.find(entry_->first));
  });
}

const std::string& SharedText::str() const {
  static const std::string kEmpty;
  return entry_ == nullptr ? kEmpty : entry_->first;
}

}  // namespace mc
