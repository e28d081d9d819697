#include "services/kubectl-minicluster/app/options.h"

int main(int argc, char** argv) {
  const auto options = mc::kubectl::parse_options(argc, argv);
  if (!options) return mc::print(options.error());
  return options->verb({options->cluster, mc::kubectl::Terminal::of_process()});
}
