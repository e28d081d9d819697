#include "services/kubectl-minicluster/verbs/run_display.h"

#include <gtest/gtest.h>

#include <sstream>

namespace mc::kubectl {
namespace {

struct Screen {
  std::ostringstream out, err;
  Terminal terminal{.out = out, .err = err};
};

const Progress kQueued{.name = "x", .size = 2};
const Progress kScheduled{.name = "x", .size = 2, .scheduled = 1, .no_pods = false};
const Progress kRunning{.name = "x", .size = 2, .no_pods = false, .quorum = true};

TEST(Display, WithoutATerminalThereIsALineForEachChange) {
  Screen screen;
  Display display(screen.terminal);
  Progress blocked = kScheduled;
  blocked.blocked = "Unschedulable: no node";
  for (const Progress& progress : {kQueued, kQueued, kScheduled, blocked, blocked, kRunning})
    display.show(progress);
  display.say("a\x1b sentence");
  EXPECT_EQ(screen.err.str(),
            "x: no pods yet\nx: scheduled 1/2, pulled 0/2, ready 0/2\nx: Unschedulable: no node\n"
            "x: running\na  sentence\n");
  EXPECT_EQ(screen.out.str(), "");
}

TEST(Display, OnATerminalABarIsRedrawnUntilTheOutputBegins) {
  Screen screen;
  screen.terminal.err_is_terminal = true;
  {
    Display display(screen.terminal);
    display.show(kQueued);
    display.show(kScheduled);
    display.say("note");
    display.make_room();
    display.show(kRunning);
  }
  const int columns = Terminal::of_process().columns - 3;  // room for `^C`
  const std::string queued = bar_of(kQueued, columns), scheduled = bar_of(kScheduled, columns);
  const auto erased = [](const std::string& bar) {
    return "\r" + std::string(bar.size() + 2, ' ') + "\r";
  };
  EXPECT_EQ(screen.err.str(), queued + erased(queued) + scheduled + erased(scheduled) + "note\n" +
                                  scheduled + erased(scheduled) + "x: running\n");
}

}  // namespace
}  // namespace mc::kubectl
