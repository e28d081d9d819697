#include <iostream>

#include "common/commands/check.h"
#include "services/webhook/options.h"
#include "services/webhook/server.h"

int main(int argc, char** argv) {
  const auto options = mc::webhook::parse_options(argc, argv);
  if (!options) return mc::print(options.error());
  if (const auto& check = options->check) {
    return mc::commands::check(*check, std::cin, std::cout, std::cerr);
  }
  return mc::webhook::serve(*options);
}
