#pragma once

namespace mc::kubectl {

// What a process has as its standard input.
enum class Input {
  None,      // closed, empty, or a terminal on which another process is in the foreground
  Terminal,  // somebody types
  File,      // can be read again from where it was
  Stream,    // a pipe or a socket
};

Input standard_input();

}  // namespace mc::kubectl
