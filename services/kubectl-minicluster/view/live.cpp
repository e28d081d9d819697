#include "services/kubectl-minicluster/view/live.h"

namespace mc::kubectl {

std::string redraw(const std::vector<std::string>& lines, std::size_t drawn) {
  std::string out;
  if (drawn > 0) out = "\033[" + std::to_string(drawn) + "A";
  for (const std::string& line : lines) out += "\r" + line + "\033[K\n";
  return out + "\033[J";
}

std::vector<std::string> fitting(std::vector<std::string> lines, std::size_t rows) {
  if (rows < 3 || lines.size() < rows) return lines;
  const std::size_t kept = rows - 2;
  const std::size_t more = lines.size() - kept;
  lines.resize(kept);
  lines.push_back("... and " + std::to_string(more) + " more");
  return lines;
}

}  // namespace mc::kubectl
