#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "certs/authority.h"
#include "common/base/result.h"

namespace mc::certs {

// An authority that signs no more and is trusted until the last certificate it signed has ended.
struct Retired {
  std::string certificate;  // PEM
  std::chrono::system_clock::time_point until;
  bool operator==(const Retired&) const = default;
};

// What is kept: all of it may be missing (empty) or damaged.
struct Kept {
  Pem leaf;                      // what the webhook serves
  std::string bundle;            // PEM of all that is trusted, beside the leaf
  Pem authority;                 // signs the leaves
  std::vector<Retired> retired;  // beside the authority
  bool operator==(const Kept&) const = default;
};

struct RotationPolicy {
  std::string dns_name;  // of the webhook
  // At least three times that of a leaf: an authority is renewed at two thirds of its life, and a
  // leaf that it signed just before must not be cut short.
  std::chrono::seconds authority_lifetime;
  // At least twice the mount delay: a leaf is renewed early enough that whoever shows it longest
  // does not show it beyond its end.
  std::chrono::seconds leaf_lifetime;
  // The longest that a webhook goes on showing a leaf of which the Secret has a newer one. A
  // kubelet looks at what it has mounted about once a minute, and then its copy may be old.
  std::chrono::seconds mount_delay;
};

// Why nothing can be kept alive under this policy; "" if it can.
std::string mistake_in(const RotationPolicy& policy);

// Since when this authority has been in every caBundle, as far as was seen.
struct Trusted {
  std::string authority;  // PEM
  std::chrono::system_clock::time_point since;
};

struct RotationFacts {
  Kept kept;
  std::vector<std::string> bundles;  // PEM: caBundle of each webhook that is configured now
  std::optional<Trusted> trusted;    // of the rotation before; none after a start
};

// Of a certificate that is kept.
struct Life {
  std::chrono::system_clock::time_point not_before, not_after;
  std::chrono::system_clock::time_point renewal;  // when it is due to be replaced
};

struct Rotation {
  Kept kept;           // as it should be
  std::string bundle;  // PEM: every caBundle as it should be
  std::optional<Trusted> trusted;
  std::chrono::system_clock::time_point next;  // look again then, if nothing changes before
  std::optional<Life> leaf, authority;         // of `kept`; none: there is none yet
  std::vector<std::string> done;               // a sentence for each thing made, for the log
};

// Decides what the certificates should be, step by step; no I/O and no clock, but new keys are
// random. Write what it says in this order, each step only after the one before: the authority
// with its retired ones, the caBundles, the leaf with its bundle; then ask again. So at every
// moment each leaf that is served verifies, whichever write is lost:
// - a leaf is signed only by an authority that was seen in every caBundle; one that takes the place
//   of a good leaf, only some time after, for every API server to have heard of it;
// - what any caBundle or bundle holds and is not known stays for one leaf's lifetime;
// - a leaf is renewed at two thirds of its life, or earlier if the rest is less than a mount takes;
// - an authority leaves the caBundles when the last leaf it signed has ended, and is forgotten only
//   when no caBundle shows it any more. Should something delete the authority again and again, only
//   those that matter most stay beside it, for an object has a largest size.
[[nodiscard]] Result<Rotation> rotate(const RotationFacts& facts,
                                      std::chrono::system_clock::time_point now,
                                      const RotationPolicy& policy);

}  // namespace mc::certs
