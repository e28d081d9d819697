#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/helm.h"

namespace mc::test {

// The files of values/.
std::vector<std::filesystem::path> values_files();
std::filesystem::path values_file(const std::string& name);

// The arguments with which the release and its namespace have names of digits, too.
std::vector<std::string> names_of_digits();

// The output of `helm template` with these additional arguments, without a cluster. A later
// --name-template or --namespace replaces the tests' own.
std::vector<json> rendered(const std::vector<std::string>& arguments = {}, Helm version = Helm::k3);

std::vector<json> with(const std::string& values);  // with that file of values/

// A value in the form of --set, and words with which Helm refuses it.
struct Refusal {
  std::string value, says;
};
void expect_refused(const std::vector<Refusal>& refusals);

// The objects of a kind; one object by kind and name, null if there is none.
std::vector<json> of_kind(const std::vector<json>& objects, const std::string& kind);
json named(const std::vector<json>& objects, const std::string& kind, const std::string& name);

// The only container of a Deployment.
json container_of(const json& deployment);

}  // namespace mc::test
