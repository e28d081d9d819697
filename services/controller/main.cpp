#include <iostream>

#include "services/controller/options.h"
#include "services/controller/render_command.h"
#include "services/controller/serve.h"

int main(int argc, char** argv) {
  const mc::controller::Parsed parsed = mc::controller::parse_options(argc, argv);
  if (parsed.done) {
    (parsed.exit_code == 0 ? std::cout : std::cerr) << parsed.text;
    return parsed.exit_code;
  }
  if (parsed.options.command == mc::controller::Options::Command::Render) {
    return mc::controller::render_command(parsed.options, std::cin, std::cout, std::cerr);
  }
  return mc::controller::serve(parsed.options);
}
