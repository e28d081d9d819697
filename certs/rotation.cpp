#include "certs/rotation.h"

#include <algorithm>
#include <utility>

#include "certs/certificate.h"
#include "common/base/openssl.h"

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

// None if the webhook would refuse the file (KeyPair::load).
std::optional<Certificate> leaf_of(const std::string& pem) {
  return openssl::certificates_of(pem).damaged ? std::nullopt : first_of(pem);
}

// One rotation: the members are the known state, and each step adds to `out_`.
class Planner {
 public:
  Planner(const RotationFacts& facts, TimePoint now, const RotationPolicy& policy);
  Result<Rotation> run();

 private:
  std::chrono::milliseconds settling() const;
  TimePoint authority_due(const Certificate& authority) const;
  TimePoint leaf_due(const Certificate& leaf) const;
  TimePoint last_use(const Certificate& authority) const;
  void retire(const Certificate& authority);
  void keep_what_is_trusted(const Certificate& authority);
  void drop_surplus();
  Result<Certificate> renewed_authority();
  void set_bundle(const Certificate& authority);
  void set_trusted(const Certificate& authority);
  bool is_good(const Certificate& leaf, const Certificate& authority) const;
  Result<void> renew_leaf(const Certificate& authority);
  void set_times(const Certificate& authority);
  Result<void> sign_leaf(const std::string& why);
  void wake_at(TimePoint time) { out_.next = std::min(out_.next, time); }

  const TimePoint now_;
  const RotationPolicy& policy_;
  std::vector<Certificates> ca_bundles_;  // by each caBundle
  Certificates stored_bundle_;            // in the bundle stored with the leaf
  std::optional<Certificate> authority_, leaf_;
  std::vector<Known> retired_;
  std::optional<Trusted> trusted_before_;
  Rotation out_;
};

CertificateTimes times_of(const Certificate& certificate, TimePoint renewal) {
  return {certificate.not_before(), certificate.not_after(), renewal};
}

Planner::Planner(const RotationFacts& facts, TimePoint now, const RotationPolicy& policy)
    : now_(now),
      policy_(policy),
      stored_bundle_(Certificate::parse(facts.stored.bundle)),
      authority_(first_of(facts.stored.authority.certificate)),
      leaf_(leaf_of(facts.stored.leaf.certificate)),
      trusted_before_(facts.trusted) {
  for (const std::string& bundle : facts.bundles) ca_bundles_.push_back(Certificate::parse(bundle));
  for (const Retired& retired : facts.stored.retired) {
    if (const auto certificate = first_of(retired.certificate)) {
      retired_.push_back({*certificate, retired.until});
    }
  }
  out_.desired = facts.stored;
  out_.next = TimePoint::max();
}

Result<Rotation> Planner::run() {
  const auto authority = renewed_authority();
  if (!authority) return std::unexpected(authority.error());
  keep_what_is_trusted(*authority);
  set_bundle(*authority);
  set_trusted(*authority);
  if (const auto made = renew_leaf(*authority); !made) return std::unexpected(made.error());
  set_times(*authority);
  return std::move(out_);
}

std::chrono::milliseconds Planner::settling() const {
  return std::min(kMaxSettle, std::chrono::milliseconds(policy_.leaf_lifetime) / 20);
}

// Early enough that it cuts short no leaf that it signs, even if it was made for shorter ones.
TimePoint Planner::authority_due(const Certificate& authority) const {
  return std::min(authority.renewal(), authority.not_after() - policy_.leaf_lifetime);
}

// Early enough for its successor to wait for a new authority and to reach every mount, with time to
// spare for that wait to start over and for writes that fail.
TimePoint Planner::leaf_due(const Certificate& leaf) const {
  return std::min(leaf.renewal(), leaf.not_after() - policy_.mount_delay - 3 * settling());
}

// When the last leaf that the authority signed expires; if that is not known, the latest possible
// time.
TimePoint Planner::last_use(const Certificate& authority) const {
  const bool known = leaf_ && leaf_->signed_by(authority);
  return std::min(known ? leaf_->not_after() : now_ + policy_.leaf_lifetime, authority.not_after());
}

void Planner::retire(const Certificate& authority) {
  const auto known = std::ranges::find(retired_, authority, &Known::certificate);
  if (known == retired_.end() && now_ < authority.not_after()) {
    retired_.push_back({authority, last_use(authority)});
  }
}

Result<Certificate> Planner::renewed_authority() {
  const bool usable = authority_ && authority_->valid_at(now_) && authority_->is_authority() &&
                      authority_->has_key(out_.desired.authority.key);
  if (usable && now_ < authority_due(*authority_)) return *authority_;
  auto made = make_authority(now_, policy_.authority_lifetime);
  if (!made) return std::unexpected(made.error());
  if (authority_ && authority_->is_authority()) retire(*authority_);
  out_.log_messages.push_back(usable
                                  ? "Created an authority, because the last one is due for renewal"
                                  : "Created an authority, because there was no usable one");
  out_.desired.authority = *std::move(made);
  return Certificate::parse(out_.desired.authority.certificate).front();
}

void Planner::keep_what_is_trusted(const Certificate& authority) {
  Certificates seen = stored_bundle_;
  for (const Certificates& bundle : ca_bundles_)
    seen.insert(seen.end(), bundle.begin(), bundle.end());
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
  drop_surplus();
}

// Keeps the one that signed the leaf first, then those that are needed longest.
void Planner::drop_surplus() {
  const auto worth = [&](const Known& known) {
    return std::pair(leaf_ && leaf_->signed_by(known.certificate), known.until);
  };
  while (retired_.size() > kMaxRetired) {
    retired_.erase(std::ranges::min_element(retired_, {}, worth));
  }
}

void Planner::set_bundle(const Certificate& authority) {
  out_.bundle = authority.pem();
  out_.desired.retired.clear();
  for (const Known& known : retired_) {
    out_.desired.retired.push_back({known.certificate.pem(), known.until});
    if (known.until <= now_) continue;
    out_.bundle += known.certificate.pem();
    wake_at(known.until);
  }
  out_.desired.bundle = out_.bundle;
  wake_at(authority_due(authority));
}

void Planner::set_trusted(const Certificate& authority) {
  if (!std::ranges::all_of(ca_bundles_,
                           [&](const auto& all) { return contains(all, authority); })) {
    return;
  }
  const std::string pem = authority.pem();
  const bool known =
      trusted_before_ && trusted_before_->authority == pem && trusted_before_->since <= now_;
  out_.trusted = Trusted{pem, known ? trusted_before_->since : now_};
}

// Whether the leaf is usable now; it may be due for renewal.
bool Planner::is_good(const Certificate& leaf, const Certificate& authority) const {
  if (!leaf.valid_at(now_) || !leaf.serves(policy_.dns_name) ||
      !leaf.has_key(out_.desired.leaf.key)) {
    return false;
  }
  return leaf.signed_by(authority) || std::ranges::any_of(retired_, [&](const Known& known) {
           return now_ < known.until && leaf.signed_by(known.certificate);
         });
}

Result<void> Planner::renew_leaf(const Certificate& authority) {
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

void Planner::set_times(const Certificate& authority) {
  out_.authority = times_of(authority, authority_due(authority));
  if (const auto leaf = leaf_of(out_.desired.leaf.certificate)) {
    out_.leaf = times_of(*leaf, leaf_due(*leaf));
  }
}

Result<void> Planner::sign_leaf(const std::string& why) {
  auto made = make_server(out_.desired.authority, policy_.dns_name, now_, policy_.leaf_lifetime);
  if (!made) return std::unexpected(made.error());
  out_.desired.leaf = *std::move(made);
  out_.log_messages.push_back(why);
  wake_at(leaf_due(Certificate::parse(out_.desired.leaf.certificate).front()));
  return {};
}

}  // namespace

std::string validate(const RotationPolicy& policy) {
  if (policy.mount_delay < std::chrono::seconds(1)) return "the mount delay must be at least 1 s";
  if (policy.leaf_lifetime < 2 * policy.mount_delay) {
    return "the lifetime of the certificate must be at least twice the mount delay";
  }
  if (policy.authority_lifetime < 3 * policy.leaf_lifetime) {
    return "the lifetime of the certificate authority must be at least three times that of the "
           "certificate";
  }
  return "";
}

Result<Rotation> rotate(const RotationFacts& facts, TimePoint now, const RotationPolicy& policy) {
  return Planner(facts, now, policy).run();
}

}  // namespace mc::certs
