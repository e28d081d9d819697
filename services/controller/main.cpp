#include <iostream>

#include "common/commands/render.h"
#include "services/controller/app/options.h"
#include "services/controller/app/serve.h"

int main(int argc, char** argv) {
  const auto options = mc::controller::parse_options(argc, argv);
  if (!options) return mc::print(options.error());
  if (const auto& render = options->render) {
    return mc::commands::render(*render, std::cin, std::cout, std::cerr);
  }
  return mc::controller::serve(*options);
}
