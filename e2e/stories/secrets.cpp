#include "e2e/stories/secrets.h"

#include <gtest/gtest.h>

#include <map>

#include "common/base/base64.h"
#include "tests/support/folders.h"

namespace mc::e2e {
namespace {

constexpr std::size_t kShortest = 12;  // shorter values may appear elsewhere by coincidence

// The lines of a private key in PEM, the secret key of a CURVE certificate, or the value itself.
std::set<std::string> words_of(const std::string& name, const std::string& value) {
  std::set<std::string> words;
  const bool pem = value.starts_with("-----BEGIN ");
  const bool key = value.find("PRIVATE KEY-----") != std::string::npos;
  for (const std::string& line : test::lines_of(value)) {
    if (const auto at = line.find("secret-key = \""); at != std::string::npos) {
      words.insert(line.substr(at + 14, 40));
    } else if (key && !line.starts_with("-----") && line.size() >= kShortest) {
      words.insert(line);
    }
  }
  if (words.empty() && !pem && name != "ca.crt" && name != "namespace" &&
      value.size() >= kShortest) {
    words.insert(value);
  }
  return words;
}

std::map<std::string, std::string> texts(const test::Kubectl& kubectl) {
  std::map<std::string, std::string> out;
  for (const char* kind : {"configmaps", "events", "miniclusters", "jobs", "services"}) {
    for (const json& item : kubectl.items({kind})) {
      out[kind + std::string("/") + item.at("metadata").at("name").get<std::string>()] =
          item.dump();
    }
  }
  return out;
}

void add_logs(const test::Kubectl& kubectl, std::map<std::string, std::string>& out) {
  for (const json& item : kubectl.items({"pods"})) {
    const std::string name = item.at("metadata").at("name");
    out["log of " + name] = kubectl({"logs", name, "--all-containers"}).out;
    out["pod " + name] = item.dump();
  }
}

}  // namespace

std::set<std::string> secret_words(const test::Kubectl& kubectl) {
  std::set<std::string> words;
  for (const json& secret : kubectl.items({"secrets"})) {
    const json data = secret.value("data", json::object());
    for (const auto& [name, value] : data.items()) {
      words.merge(words_of(name, base64_decoded(value.get<std::string>()).value_or("")));
    }
  }
  return words;
}

void expect_secrets_are_nowhere(const test::Kubectl& kubectl,
                                const std::optional<test::Kubectl>& also) {
  const std::set<std::string> words = secret_words(kubectl);
  std::map<std::string, std::string> places = texts(kubectl);
  add_logs(kubectl, places);
  if (also) add_logs(*also, places);
  for (const auto& [place, text] : places) {
    for (const std::string& word : words) {
      EXPECT_EQ(text.find(word), std::string::npos) << "a secret is in " << place;
    }
  }
}

}  // namespace mc::e2e
