#pragma once
#include <atomic>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace mc {

// A text that many objects have, such as a label or a reason: all equal ones share one copy, which
// lives as long as one of them. It takes as much memory as a pointer. Never changes; thread safe.
class SharedText {
 public:
  // The copy, and how many have it.
  using Entry = std::pair<const std::string, std::atomic<std::size_t>>;

  SharedText() = default;              // ""
  SharedText(std::string_view text);   // NOLINT(google-explicit-constructor): is one
  SharedText(const std::string& text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string_view(text)) {}
  SharedText(const char* text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string_view(text)) {}
  SharedText(const SharedText& other);
  SharedText(SharedText&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~SharedText();

  const std::string& str() const;
  operator const std::string&() const { return str(); }  // NOLINT(google-explicit-constructor)
  operator std::string_view() const { return str(); }    // NOLINT(google-explicit-constructor)
  bool empty() const { return entry_ == nullptr; }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.entry_ == b.entry_; }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) {
    return out << text.str();
  }

 private:
  Entry* entry_ = nullptr;  // null: ""
};

}  // namespace mc
