#include "services/controller/queueing/mailbox.h"

#include <utility>

namespace mc::controller::queueing {

void Mailbox::changed(const std::string& key, const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  auto& owners = mail_.keys[key];
  if (!owner.empty()) owners.insert(owner);
  changed_.notify_all();
}

void Mailbox::setups_changed() {
  const std::scoped_lock lock(mutex_);
  mail_.setups = true;
  changed_.notify_all();
}

Mail Mailbox::take(const std::stop_token& stop,
                   std::optional<std::chrono::steady_clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto has_mail = [this] { return mail_.setups || !mail_.keys.empty(); };
  if (until) {
    changed_.wait_for(lock, stop, *until - clock_.now(), has_mail);
  } else {
    changed_.wait(lock, stop, has_mail);
  }
  return std::exchange(mail_, Mail());
}

}  // namespace mc::controller::queueing
