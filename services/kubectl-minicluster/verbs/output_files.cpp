#include "services/kubectl-minicluster/verbs/output_files.h"

#include <cerrno>
#include <cstring>

#include "common/base/text.h"

namespace mc::kubectl {
namespace {

Result<std::shared_ptr<std::FILE>> emptied(const std::string& name) {
  if (name.contains('%')) {
    return fail(
        ErrorKind::Invalid,
        one_line(name) + ": patterns such as %j are not supported; give the file a fixed name");
  }
  std::shared_ptr<std::FILE> file(std::fopen(name.c_str(), "we"), [](std::FILE* each) {
    if (each != nullptr) std::fclose(each);
  });
  if (!file) {
    return fail(ErrorKind::Invalid,
                "cannot write to " + one_line(name) + ": " + std::strerror(errno));
  }
  return file;
}

}  // namespace

Result<OutputFiles> OutputFiles::open(const std::string& output, const std::string& error) {
  OutputFiles files;
  if (!output.empty()) {
    auto out = emptied(output);
    if (!out) return std::unexpected(out.error());
    files.out_ = *out;
    files.name_ = one_line(output);
  }
  files.err_ = files.out_;
  if (!error.empty() && error != output) {
    auto err = emptied(error);
    if (!err) return std::unexpected(err.error());
    files.err_ = *err;
  }
  return files;
}

}  // namespace mc::kubectl
