#pragma once
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "common/base/result.h"

namespace mc::kubectl {

// Where the output of a command goes.
class OutputFiles {
 public:
  OutputFiles() = default;  // standard output and standard error

  // Files for both, which become empty; "": as it is, but with `output` alone both go there, as in
  // Slurm and Flux.
  [[nodiscard]] static Result<OutputFiles> open(const std::string& output,
                                                const std::string& error);

  int out() const { return out_ ? ::fileno(out_.get()) : STDOUT_FILENO; }
  int err() const { return err_ ? ::fileno(err_.get()) : STDERR_FILENO; }

  // Whether the output, without the errors, is in a file; and the name of that.
  bool is_file() const { return out_ != nullptr; }
  const std::string& name() const { return name_; }

 private:
  std::shared_ptr<std::FILE> out_, err_;
  std::string name_;
};

}  // namespace mc::kubectl
