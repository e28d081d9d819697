#pragma once
#include <optional>
#include <set>
#include <string>

#include "tests/support/kubectl.h"

namespace mc::e2e {

// Text that must not appear in any log, event, ConfigMap or status: the values of every Secret of
// the namespace; of PEM and CURVE certificates, the lines of the private part.
std::set<std::string> secret_words(const test::Kubectl& kubectl);

// Searches every log, event, ConfigMap and status of the namespace, and the logs of `also`. A
// failure names the place, never the secret.
void expect_secrets_are_nowhere(const test::Kubectl& kubectl,
                                const std::optional<test::Kubectl>& also = std::nullopt);

}  // namespace mc::e2e
