#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// How a signal reaches a program that `kubectl exec` runs without a terminal. Kubernetes passes on
// no signals, and the program outlives its kubectl. So a shell tells the program's process before
// it becomes the program, and another `kubectl exec` sends that process the signal.
namespace mc::kubectl {

// The command, after a line with `mark` and its process id on standard error.
std::vector<std::string> announced(const std::string& mark,
                                   const std::vector<std::string>& command);

// Takes the line of announced() out of the standard error, which may have other text before it:
// kubectl's own.
class Announcement {
 public:
  explicit Announcement(std::string mark) : mark_(std::move(mark)) {}

  // Takes more of the standard error, cut anywhere. Returns what of it is not the line; what may
  // be its beginning is held back.
  std::string take(std::string_view bytes);
  // At the end of the standard error: what is still held back.
  std::string end();

  // The program's process id in its container; "" as long as it is not known.
  const std::string& process() const { return process_; }

 private:
  std::string take_line();

  std::string mark_, held_, process_;
};

// What runs in the container, as far as signals are concerned.
enum class Program {
  Any,
  Flux,  // a client of Flux: `flux run` cancels its job at the second of two Ctrl-C within 2 s
};

// A signal to the program, and how long it then has to end.
struct SignalStep {
  int signal = 0;
  std::chrono::milliseconds patience{0};
  bool operator==(const SignalStep&) const = default;
};

// What a signal to us means for the program, step by step until it has ended. SIGPIPE, that nobody
// reads its output any more, is SIGHUP to it: many programs ignore SIGPIPE, and would then wait for
// a reader for ever.
std::vector<SignalStep> steps_after(int signal, Program program);

// How long the steps may take.
std::chrono::milliseconds patience_of(const std::vector<SignalStep>& steps);

// Takes the steps, in the container. The signals go to the program's process group if it leads one,
// as those of a terminal do. Exit code: 0 if the program has ended, kProgramRunsOn if it has not.
std::vector<std::string> signal_command(const std::string& process,
                                        const std::vector<SignalStep>& steps);
inline constexpr int kProgramRunsOn = 3;

// Our exit code after a signal, if the program has ended with `code`.
int code_after(int signal, Program program, int code);

// `SIGTERM`
std::string name_of_signal(int signal);

}  // namespace mc::kubectl
