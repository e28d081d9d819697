#pragma once

namespace mc::kubectl {

// Wakes a thread that waits in poll().
class Bell {
 public:
  Bell();
  ~Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  // Readable once it has rung; -1, which poll() ignores, if the process has no descriptor left.
  int fd() const { return read_; }

  void ring() const;

 private:
  int read_ = -1, write_ = -1;
};

}  // namespace mc::kubectl
