#pragma once
#include <optional>
#include <set>
#include <string>

#include "tests/support/kubectl.h"

namespace mc::e2e {

// What must be in no log, event, ConfigMap or status: of every Secret of the namespace the values,
// and of what is PEM or a CURVE certificate the private part's lines.
std::set<std::string> secret_words(const test::Kubectl& kubectl);

// Looks for those words in every log, event, ConfigMap and status of the namespace, and in the logs
// of `also`. A failure of the test says where one is, never the word.
void expect_secrets_are_nowhere(const test::Kubectl& kubectl,
                                const std::optional<test::Kubectl>& also = std::nullopt);

}  // namespace mc::e2e
