#include "services/kubectl-minicluster/verbs/run_display.h"

#include <ostream>
#include <utility>

#include "common/base/text.h"

namespace mc::kubectl {
void Display::show(const Progress& progress) {
  const std::scoped_lock lock(mutex_);
  const std::optional<Progress> before = std::exchange(shown_, progress);
  if (before && *before == progress) return;
  clear();
  const bool redraws = terminal_.err_is_terminal && !has_room_ && !progress.quorum;
  const bool is_new = !before || is_another_line(*before, progress);
  if (!redraws && is_new) line(progress.name + ": " + stage_of(progress));
  if (!progress.blocked.empty() && (!before || before->blocked != progress.blocked))
    line(progress.name + ": " + progress.blocked);
  draw();
}

void Display::say(const std::string& sentence) {
  const std::scoped_lock lock(mutex_);
  clear();
  line(sentence);
  draw();
}

void Display::make_room() {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(has_room_, true)) return;
  clear();
  terminal_.err.flush();
}

// Every terminal understands this, also a dumb one. A `^C` may follow the bar.
void Display::clear() {
  const std::size_t size = std::exchange(bar_size_, 0);
  if (size > 0) terminal_.err << "\r" << std::string(size + 2, ' ') << "\r" << std::flush;
}

// Only a terminal takes the bar back, and once the command has started there is none.
void Display::draw() {
  if (!terminal_.err_is_terminal || has_room_ || !shown_ || shown_->quorum) return;
  // It may have been resized. Room is left for the `^C` that a terminal adds.
  const int columns = Terminal::of_process().columns;
  const std::string bar = bar_of(*shown_, columns - 3);
  terminal_.err << bar << std::flush;
  bar_size_ = bar.size();
}

void Display::line(const std::string& text) {
  const bool shares = terminal_.out_is_terminal && terminal_.err_is_terminal;
  if (shares && output_ != nullptr && output_->is_in_line()) terminal_.err << "\n";
  terminal_.err << one_line(text) << "\n";
}

}  // namespace mc::kubectl
