#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "certs/authority.h"
#include "certs/certificate.h"
#include "common/base/result.h"

namespace mc::certs {

// An authority that no longer signs, but is trusted until the last certificate it signed has
// expired.
struct Retired {
  std::string certificate;  // PEM
  std::chrono::system_clock::time_point until;
  bool operator==(const Retired&) const = default;
};

// The stored certificates. Any of them may be missing (empty) or damaged.
struct StoredCertificates {
  Pem leaf;                      // what the webhook serves
  std::string bundle;            // PEM of all trusted authorities, stored with the leaf
  Pem authority;                 // signs the leaves
  std::vector<Retired> retired;  // stored with the authority
  bool operator==(const StoredCertificates&) const = default;
};

struct RotationPolicy {
  std::string dns_name;  // of the webhook
  // At least three times leaf_lifetime: an authority is renewed after two thirds of its life, and
  // must not cut short a leaf that it signed just before.
  std::chrono::seconds authority_lifetime;
  // At least twice mount_delay: a leaf is renewed early enough that no webhook serves it after it
  // has expired.
  std::chrono::seconds leaf_lifetime;
  // The longest time that a webhook serves a leaf after the Secret has a newer one. A kubelet
  // updates its mounts about once a minute, from a copy of the Secret that may be stale.
  std::chrono::seconds mount_delay;
};

// Why this policy cannot work; "" if it can.
std::string validate(const RotationPolicy& policy);

// The time since when this authority has been seen in every caBundle.
struct Trusted {
  std::string authority;  // PEM
  std::chrono::system_clock::time_point since;
};

struct RotationFacts {
  StoredCertificates stored;
  std::vector<std::string> bundles;  // PEM: the current caBundle of each webhook
  std::optional<Trusted> trusted;    // of the previous rotation; none after a start
};

struct Rotation {
  StoredCertificates desired;  // what to store
  std::string bundle;          // PEM: what every caBundle should be
  std::optional<Trusted> trusted;
  std::chrono::system_clock::time_point next;  // when to rotate again if nothing changes before
  std::optional<CertificateTimes> leaf, authority;  // of `desired`; none: not made yet
  std::vector<std::string> log_messages;  // a sentence for the log for each certificate made
};

// Decides what to store. No I/O and no clock, but new keys are random. Write the result in this
// order, each step only after the one before has succeeded: the authority and the retired ones, the
// caBundles, the leaf and its bundle. Then call it again. At any moment every leaf that is served
// can then be verified, whichever write is lost:
// - A leaf is signed only by an authority that was seen in every caBundle. If it replaces a good
//   leaf of another authority, it also waits until every API server has read the caBundles.
// - An unknown certificate in a caBundle or bundle stays trusted for one leaf lifetime.
// - A leaf is renewed after two thirds of its life, or earlier if the rest is shorter than a mount
//   takes.
// - An authority is removed from the caBundles when the last leaf it signed has expired, and
//   forgotten when no caBundle has it any more. If the authority is deleted repeatedly, only the
//   most important retired ones are stored, because the size of an object is limited.
[[nodiscard]] Result<Rotation> rotate(const RotationFacts& facts,
                                      std::chrono::system_clock::time_point now,
                                      const RotationPolicy& policy);

}  // namespace mc::certs
