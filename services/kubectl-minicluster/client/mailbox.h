#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace mc::kubectl {

// What has happened since the last look: one thread acts on it, any thread may add to it.
struct Mail {
  bool woken = false;  // something that the thread looks at has changed
  std::vector<int> signals;
  std::vector<std::string> notes;  // sentences for the user
};

class Mailbox {
 public:
  void wake() {
    add([](Mail&) {});
  }
  // Returns how many signals nobody has looked at: with more than two, the one thread is stuck.
  std::size_t signal(int number) {
    std::size_t count = 0;
    add([&](Mail& mail) {
      mail.signals.push_back(number);
      count = mail.signals.size();
    });
    return count;
  }
  void note(std::string sentence) {
    add([&](Mail& mail) { mail.notes.push_back(std::move(sentence)); });
  }

  // Waits until there is mail.
  Mail take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return mail_.woken; });
    return std::exchange(mail_, {});
  }
  // The same, or until then.
  Mail take(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, until, [&] { return mail_.woken; });
    return std::exchange(mail_, {});
  }

 private:
  template <class Change>
  void add(Change change) {
    {
      const std::scoped_lock lock(mutex_);
      change(mail_);
      mail_.woken = true;
    }
    arrived_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  Mail mail_;
};

}  // namespace mc::kubectl
