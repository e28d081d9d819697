#pragma once
#include <string>
#include <vector>

#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"

namespace mc::e2e {

// The words of `kubectl minicluster run NAME` for a command in the image of applications, with Flux
// by the view.
inline std::vector<std::string> run_words(const std::string& name,
                                          const std::vector<std::string>& command,
                                          const std::vector<std::string>& flags = {}) {
  std::vector<std::string> out = {
      "run",     name,
      "--image", kApplicationImage,
      "--set",   std::string("spec.flux.container.image=") + kFluxViewImage};
  out.insert(out.end(), flags.begin(), flags.end());
  out.emplace_back("--");
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

// The standard error of `run NAME` without the lines of its progress, which come at any time.
inline std::string without_progress(const std::string& text, const std::string& name) {
  std::string out;
  for (const std::string& line : test::lines_of(text)) {
    if (!line.starts_with(name + ": ")) out += line + "\n";
  }
  return out;
}

}  // namespace mc::e2e
