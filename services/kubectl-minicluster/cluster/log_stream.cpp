#include "services/kubectl-minicluster/cluster/log_stream.h"

#include <utility>
#include <vector>

namespace mc::kubectl {
namespace {

std::vector<std::string> arguments_of(const LogStream::Source& source) {
  std::vector<std::string> out = {"logs", "--follow", "--timestamps", source.pod,
                                  "--container=" + source.container};
  if (!source.since.empty()) out.push_back("--since-time=" + source.since);
  return out;
}

}  // namespace

LogStream::LogStream(const Kubectl& kubectl, Source source, Hooks hooks)
    : source_(std::move(source)),
      hooks_(std::move(hooks)),
      child_(kubectl.start(arguments_of(source_))),
      reader_([this] { read(); }) {}

LogStream::~LogStream() {
  kill();
  reader_.join();
}

void LogStream::kill() {
  if (child_) child_->kill();
}

void LogStream::read() {
  End end;
  if (child_) {
    end = follow(*child_);
  } else {
    end.error = child_.error().message;
  }
  end_.with([&](std::optional<End>& ended) { ended = std::move(end); });
  hooks_.on_end();
}

LogStream::End LogStream::follow(Child& child) {
  End end;
  bool wanted = true;
  for (std::string piece; wanted && read_some(child.out(), piece); piece.clear()) {
    wanted = hooks_.on_bytes(piece);
  }
  if (wanted) wanted = hooks_.on_bytes({});
  if (!wanted) kill();
  const std::string errors = read_all(child.err());
  if (child.wait() != 0) end.error = reason_in(errors);
  return end;
}

}  // namespace mc::kubectl
