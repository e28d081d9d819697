#include "services/controller/app/instance.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <random>

namespace mc::controller {

std::string instance() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string unique_instance() {
  std::random_device random;
  std::array<char, 9> half{};
  std::string out = instance() + "_";
  for (int i = 0; i < 2; ++i) {
    std::snprintf(half.data(), half.size(), "%08x", random());
    out += half.data();
  }
  return out;
}

}  // namespace mc::controller
