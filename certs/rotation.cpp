#include "certs/rotation.h"

#include <algorithm>
#include <utility>

#include "certs/certificate.h"

namespace mc::certs {
namespace {

using TimePoint = std::chrono::system_clock::time_point;
using Certificates = std::vector<Certificate>;

// Time for every API server to read a caBundle; for leaves with a short life, a twentieth of it.
constexpr std::chrono::milliseconds kMaxSettle = std::chrono::minutes(1);
// Retired authorities. Each is less than a kilobyte, and an object is at most 1.5 megabytes.
constexpr std::size_t kMaxRetired = 16;

struct Known {
  Certificate certificate;
  TimePoint until;
};

bool contains(const Certificates& all, const Certificate& one) {
  return std::ranges::find(all, one) != all.end();
}

std::optional<Certificate> first_of(const std::string& pem) {
  const Certificates all = Certificate::parse(pem);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

// One rotation: the members are the known state, and each step adds to `out_`.
class Pass {
 public:
  Pass(const RotationFacts& facts, TimePoint now, const RotationPolicy& policy);
  Result<Rotation> run();

 private:
  std::chrono::milliseconds settling() const;
  TimePoint authority_due(const Certificate& authority) const;
  TimePoint leaf_due(const Certificate& leaf) const;
  TimePoint last_use(const Certificate& authority) const;
  void retire(const Certificate& authority);
  void keep_what_is_trusted(const Certificate& authority);
  void forget_the_least();
  Result<Certificate> renewed_authority();
  void set_bundle(const Certificate& authority);
  void set_trusted(const Certificate& authority);
  bool is_good(const Certificate& leaf, const Certificate& authority) const;
  Result<void> renew_leaf(const Certificate& authority);
  void set_lives(const Certificate& authority);
  Result<void> sign_leaf(const std::string& why);
  void wake_at(TimePoint time) { out_.next = std::min(out_.next, time); }

  const TimePoint now_;
  const RotationPolicy& policy_;
  std::vector<Certificates> shown_;  // by each caBundle
  Certificates noted_;               // in the bundle stored with the leaf
  std::optional<Certificate> authority_, leaf_;
  std::vector<Known> retired_;
  std::optional<Trusted> trusted_before_;
  Rotation out_;
};

Life life_of(const Certificate& certificate, TimePoint renewal) {
  return {certificate.not_before(), certificate.not_after(), renewal};
}

Pass::Pass(const RotationFacts& facts, TimePoint now, const RotationPolicy& policy)
    : now_(now),
      policy_(policy),
      noted_(Certificate::parse(facts.kept.bundle)),
      authority_(first_of(facts.kept.authority.certificate)),
      leaf_(first_of(facts.kept.leaf.certificate)),
      trusted_before_(facts.trusted) {
  for (const std::string& bundle : facts.bundles) shown_.push_back(Certificate::parse(bundle));
  for (const Retired& retired : facts.kept.retired) {
    if (const auto certificate = first_of(retired.certificate)) {
      retired_.push_back({*certificate, retired.until});
    }
  }
  out_.kept = facts.kept;
  out_.next = TimePoint::max();
}

Result<Rotation> Pass::run() {
  const auto authority = renewed_authority();
  if (!authority) return std::unexpected(authority.error());
  keep_what_is_trusted(*authority);
  set_bundle(*authority);
  set_trusted(*authority);
  if (const auto made = renew_leaf(*authority); !made) return std::unexpected(made.error());
  set_lives(*authority);
  return std::move(out_);
}

std::chrono::milliseconds Pass::settling() const {
  return std::min(kMaxSettle, std::chrono::milliseconds(policy_.leaf_lifetime) / 20);
}

// Early enough that it cuts short no leaf that it signs, even if it was made for shorter ones.
TimePoint Pass::authority_due(const Certificate& authority) const {
  return std::min(authority.renewal(), authority.not_after() - policy_.leaf_lifetime);
}

// Early enough for its successor to wait for a new authority and to reach every mount, with time to
// spare for that wait to start over and for writes that fail.
TimePoint Pass::leaf_due(const Certificate& leaf) const {
  return std::min(leaf.renewal(), leaf.not_after() - policy_.mount_delay - 3 * settling());
}

// When the last leaf that the authority signed expires; if that is not known, the latest possible
// time.
TimePoint Pass::last_use(const Certificate& authority) const {
  const bool known = leaf_ && leaf_->signed_by(authority);
  return std::min(known ? leaf_->not_after() : now_ + policy_.leaf_lifetime, authority.not_after());
}

void Pass::retire(const Certificate& authority) {
  const auto known = std::ranges::find(retired_, authority, &Known::certificate);
  if (known == retired_.end() && now_ < authority.not_after()) {
    retired_.push_back({authority, last_use(authority)});
  }
}

Result<Certificate> Pass::renewed_authority() {
  const bool usable = authority_ && authority_->valid_at(now_) && authority_->is_authority() &&
                      authority_->has_key(out_.kept.authority.key);
  if (usable && now_ < authority_due(*authority_)) return *authority_;
  auto made = make_authority(now_, policy_.authority_lifetime);
  if (!made) return std::unexpected(made.error());
  if (authority_ && authority_->is_authority()) retire(*authority_);
  out_.done.push_back(usable ? "Created an authority, because the last one is due for renewal"
                             : "Created an authority, because there was no usable one");
  out_.kept.authority = *std::move(made);
  return Certificate::parse(out_.kept.authority.certificate).front();
}

void Pass::keep_what_is_trusted(const Certificate& authority) {
  Certificates seen = noted_;
  for (const Certificates& shown : shown_) seen.insert(seen.end(), shown.begin(), shown.end());
  for (const Certificate& certificate : seen) {
    if (certificate != authority) retire(certificate);
  }
  for (Known& known : retired_) {
    if (leaf_ && leaf_->signed_by(known.certificate)) {
      // The writer of that leaf did not know that the authority was retired.
      known.until = std::max(known.until, last_use(known.certificate));
    }
  }
  // An expired one is stored for as long as it is seen, or it would be taken for a new one.
  std::erase_if(retired_, [&](const Known& known) {
    return known.certificate == authority ||
           (known.until <= now_ && !contains(seen, known.certificate));
  });
  forget_the_least();
}

// Keeps the one that signed the leaf first, then those that are needed longest.
void Pass::forget_the_least() {
  const auto worth = [&](const Known& known) {
    return std::pair(leaf_ && leaf_->signed_by(known.certificate), known.until);
  };
  while (retired_.size() > kMaxRetired) {
    retired_.erase(std::ranges::min_element(retired_, {}, worth));
  }
}

void Pass::set_bundle(const Certificate& authority) {
  out_.bundle = authority.pem();
  out_.kept.retired.clear();
  for (const Known& known : retired_) {
    out_.kept.retired.push_back({known.certificate.pem(), known.until});
    if (known.until <= now_) continue;
    out_.bundle += known.certificate.pem();
    wake_at(known.until);
  }
  out_.kept.bundle = out_.bundle;
  wake_at(authority_due(authority));
}

void Pass::set_trusted(const Certificate& authority) {
  if (!std::ranges::all_of(shown_, [&](const auto& all) { return contains(all, authority); })) {
    return;
  }
  const std::string pem = authority.pem();
  const bool known =
      trusted_before_ && trusted_before_->authority == pem && trusted_before_->since <= now_;
  out_.trusted = Trusted{pem, known ? trusted_before_->since : now_};
}

// Whether the leaf is usable now; it may be due for renewal.
bool Pass::is_good(const Certificate& leaf, const Certificate& authority) const {
  if (!leaf.valid_at(now_) || !leaf.serves(policy_.dns_name) || !leaf.has_key(out_.kept.leaf.key)) {
    return false;
  }
  return leaf.signed_by(authority) || std::ranges::any_of(retired_, [&](const Known& known) {
           return now_ < known.until && leaf.signed_by(known.certificate);
         });
}

Result<void> Pass::renew_leaf(const Certificate& authority) {
  const bool good = leaf_ && is_good(*leaf_, authority);
  if (good && now_ < leaf_due(*leaf_)) {
    wake_at(leaf_due(*leaf_));
    return {};
  }
  if (!out_.trusted) return {};  // the next rotation sees the caBundles as written now
  if (!good) return sign_leaf("Signed a certificate, because there was no usable one");
  const TimePoint settled = out_.trusted->since + settling();
  if (now_ < settled && !leaf_->signed_by(authority)) {
    wake_at(settled);
    return {};
  }
  return sign_leaf("Signed a certificate, because the last one is due for renewal");
}

void Pass::set_lives(const Certificate& authority) {
  out_.authority = life_of(authority, authority_due(authority));
  if (const auto leaf = first_of(out_.kept.leaf.certificate)) {
    out_.leaf = life_of(*leaf, leaf_due(*leaf));
  }
}

Result<void> Pass::sign_leaf(const std::string& why) {
  auto made = make_server(out_.kept.authority, policy_.dns_name, now_, policy_.leaf_lifetime);
  if (!made) return std::unexpected(made.error());
  out_.kept.leaf = *std::move(made);
  out_.done.push_back(why);
  wake_at(leaf_due(Certificate::parse(out_.kept.leaf.certificate).front()));
  return {};
}

}  // namespace

std::string mistake_in(const RotationPolicy& policy) {
  if (policy.mount_delay < std::chrono::seconds(1))
    return "the mount delay must be at least one second";
  if (policy.leaf_lifetime < 2 * policy.mount_delay) {
    return "a certificate must be valid for at least twice the mount delay";
  }
  if (policy.authority_lifetime < 3 * policy.leaf_lifetime) {
    return "an authority must be valid for at least three times as long as a certificate";
  }
  return "";
}

Result<Rotation> rotate(const RotationFacts& facts, TimePoint now, const RotationPolicy& policy) {
  return Pass(facts, now, policy).run();
}

}  // namespace mc::certs
