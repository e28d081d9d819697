#include "services/kubectl-minicluster/client/copy_out.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// Owners and modes are those of the user here. GNU tar and bsdtar extract nothing outside of the
// folder, whatever the archive says.
std::vector<std::string> extraction_into(const std::string& folder) {
  return {"/usr/bin/env",
          "tar",
          "--extract",
          "--file=-",
          "--no-same-owner",
          "--no-same-permissions",
          "--directory=" + folder};
}

// What the program said first: that is the cause.
std::string first_line(const std::string& errors) {
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    if (!trimmed(line).empty()) return line;
  }
  return "";
}

// Whether kubectl says that the program in the container has ended with a code.
bool is_of_program(const std::string& errors) {
  return errors.contains("command terminated with exit code");
}

// Passes on an archive.
class Pump {
 public:
  // False if `to` takes no more.
  bool run(const Child& from, Child& to) {
    bool is_taken = true;
    for (std::string piece; is_taken && read_some(from.out(), piece); piece.clear()) {
      is_taken = to.feed(piece);
      end_ += piece;
      end_.erase(0, end_.size() - std::min(end_.size(), kBlock));
    }
    to.end_input();
    return is_taken;
  }

  // tar ends an archive with blocks of zeros, and takes one without them for complete.
  bool was_whole() const {
    return end_.size() == kBlock && end_.find_first_not_of('\0') == std::string::npos;
  }

 private:
  static constexpr std::size_t kBlock = 512;
  std::string end_;
};

}  // namespace

CopyOut::CopyOut(const Kubectl& kubectl, Source source, std::function<void()> on_end)
    : kubectl_(kubectl),
      source_(std::move(source)),
      on_end_(std::move(on_end)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void CopyOut::run(const std::stop_token& stop) {
  End end;
  for (const std::string& path : source_.paths) {
    const Outcome outcome = copy(path, stop);
    if (outcome.is_lost) end.lost = outcome.error;
    if (outcome.is_lost) break;
    if (outcome.error.empty()) end.copied.push_back(path);
    if (!outcome.error.empty()) end.failed.push_back(path + ": " + outcome.error);
  }
  if (end.lost.empty()) tell_done(stop);
  end_.with([&](std::optional<End>& ended) { ended = std::move(end); });
  on_end_();
}

std::vector<std::string> CopyOut::script(const std::vector<std::string>& arguments) const {
  std::vector<std::string> out = {
      "exec", source_.pod, "--container=" + source_.container,
      "--",   "/bin/sh",   std::string(api::kEntrypointPath) + "/copy-out.sh"};
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

CopyOut::Outcome CopyOut::copy(const std::string& path, const std::stop_token& stop) const {
  auto from = kubectl_.start(script({path}));
  if (!from) return {from.error().message, false};
  auto to = Child::start(extraction_into(source_.folder), {.is_fed = true});
  if (!to) return {to.error().message, false};
  const std::stop_callback kill(stop, [&] {
    from->kill();
    to->kill();
  });
  std::string said_there, said_here;
  Pump pump;
  bool is_taken = false;
  {
    const std::jthread there([&] { said_there = read_all(from->err()); });
    const std::jthread here([&] { said_here = read_all(to->err()); });
    is_taken = pump.run(*from, *to);
    if (!is_taken) from->kill();
  }
  const int code_there = from->wait(), code_here = to->wait();
  if (!is_taken || (code_there == 0 && code_here != 0)) return {first_line(said_here), false};
  if (code_there == 0) return {pump.was_whole() ? "" : "only a part of it was received", false};
  if (is_of_program(said_there)) return {first_line(said_there), false};
  return {reason_in(said_there), true};
}

// If it fails, the lead ends when its time is over.
void CopyOut::tell_done(const std::stop_token& stop) const {
  auto child = kubectl_.start(script({}));
  if (!child) return;
  const std::stop_callback kill(stop, [&] { child->kill(); });
  (void)read_all(child->err());
  child->wait();
}

}  // namespace mc::kubectl
