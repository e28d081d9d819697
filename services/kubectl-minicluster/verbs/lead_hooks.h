#pragma once
#include <functional>
#include <string>

namespace mc::kubectl {

// What whatever follows the lead asks of its owner.
struct LeadHooks {
  std::function<void(const std::string& sentence)> say;
  std::function<void()> wake;  // look() is to be called again; from any thread
};

}  // namespace mc::kubectl
