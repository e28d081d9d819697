#include "services/kubectl-minicluster/cluster/log_stream.h"

#include <algorithm>
#include <utility>

namespace mc::kubectl {

LogStream::LogStream(const Kubectl& kubectl, Source source, Hooks hooks)
    : source_(std::move(source)),
      hooks_(std::move(hooks)),
      child_(kubectl.start({"logs", "--follow", source_.pod, "--container=" + source_.container})),
      reader_([this] { read(); }) {}

LogStream::~LogStream() {
  kill();
  reader_.join();
}

void LogStream::kill() {
  const std::scoped_lock lock(killing_);
  if (child_ && !is_over_) child_->kill();
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
  std::uint64_t skip = source_.skip;
  bool wanted = true;
  for (std::string piece; wanted && read_some(child.out(), piece); piece.clear()) {
    std::string_view bytes = piece;
    const std::size_t skipped = std::min<std::uint64_t>(skip, bytes.size());
    bytes.remove_prefix(skipped);
    skip -= skipped;
    if (bytes.empty()) continue;
    wanted = hooks_.on_bytes(bytes);
    end.bytes += bytes.size();
  }
  if (!wanted) kill();
  const std::string errors = read_all(child.err());
  {
    const std::scoped_lock lock(killing_);
    is_over_ = true;
  }
  if (child.wait() != 0) end.error = reason_in(errors);
  return end;
}

}  // namespace mc::kubectl
