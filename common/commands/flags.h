#pragma once
#include "common/commands/check.h"
#include "common/commands/render.h"

namespace CLI {
class App;
}

// The flags of `check` and `render`, the same in each program that has them.
namespace mc::commands {

void add_check_flags(CLI::App& app, CheckOptions& options);

void add_render_flags(CLI::App& app, RenderOptions& options);

}  // namespace mc::commands
