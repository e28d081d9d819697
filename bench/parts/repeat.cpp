#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>

#include "bench/parts/parts.h"

// `bench_repeat`: lists the parts with their sizes, a line each. `bench_repeat PART SIZE TIMES`:
// calls a part that many times, for bench/gate.sh, which counts its instructions.
int main(int argc, char** argv) {
  if (argc == 1) {
    for (const mc::bench::Part& part : mc::bench::parts()) {
      if (part.sizes.empty()) std::cout << part.name << " 0\n";
      // Two, because the larger one also tells how the part grows.
      for (std::size_t i = 1; i + 1 < part.sizes.size(); ++i) {
        std::cout << part.name << " " << part.sizes[i] << "\n";
      }
    }
    return 0;
  }
  for (const mc::bench::Part& part : mc::bench::parts()) {
    if (argc != 4 || std::string_view(part.name) != argv[1]) continue;
    const mc::bench::Call call = part.prepare(std::stoll(argv[2]));
    for (int i = std::stoi(argv[3]); i > 0; --i) call.run();
    return 0;
  }
  std::cerr << "usage: bench_repeat [PART SIZE TIMES]\n";
  return 2;
}
