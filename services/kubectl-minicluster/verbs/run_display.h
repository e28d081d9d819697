#pragma once
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

#include "services/kubectl-minicluster/client/terminal.h"
#include "services/kubectl-minicluster/verbs/run_output.h"
#include "services/kubectl-minicluster/view/progress.h"

namespace mc::kubectl {

// What `run` says on standard error: a bar that is redrawn on a terminal until the command's output
// begins, otherwise a line for each change; and sentences. Thread safe.
class Display {
 public:
  explicit Display(const Terminal& terminal) : terminal_(terminal) {}
  ~Display() { clear(); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // How far it is, and once for each change what blocks it.
  void show(const Progress& progress);

  void say(const std::string& sentence);

  // Removes the bar for good: the command's output begins.
  void make_room();

  // Tells where the command's output goes, which may share the terminal.
  void beside(const LogOutput& output) { output_ = &output; }

 private:
  void clear();
  void draw();
  void line(const std::string& text);

  const Terminal& terminal_;
  const LogOutput* output_ = nullptr;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::optional<Progress> shown_;
  std::size_t bar_size_ = 0;  // 0: there is none
  bool has_room_ = false;
};

}  // namespace mc::kubectl
