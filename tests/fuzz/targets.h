#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

// What is tried on any input, one function a file. Each returns, or ends the program where a
// property does not hold. libfuzzer.cpp gives one to libFuzzer; replay_test.cpp tries all on the
// inputs of corpus/.
namespace mc::fuzz {

void admission_review(std::string_view input);  // an AdmissionReview through review
void minicluster(std::string_view input);       // defaults, validation, render
void manifest(std::string_view input);          // YAML documents through check and render
void curve_certificate(std::string_view input);
void hostlist(std::string_view input);
void quantity(std::string_view input);
void duration(std::string_view input);  // Flux's and those of our flags
void broker_config(std::string_view input);
void shell_words(std::string_view input);
void watch_line(std::string_view input);
void kubeconfig(std::string_view input);
void http_request(std::string_view input);  // what one connection sends

// The inputs of corpus/<target>, and for targets that read MiniClusters those of examples/, sorted.
// (Defined where they are replayed.)
std::vector<std::filesystem::path> inputs_of(const std::string& target);
using Target = void (*)(std::string_view);
const std::map<std::string, Target>& all_targets();

// Says what does not hold and aborts, so that libFuzzer keeps the input.
void require(bool holds, const std::string& what);

// True where each input is tried once, so that what takes long is done for each: outside of
// libFuzzer.
bool replaying();

// A JSON text, or a YAML one of one document, of at most 500 levels; discarded where it is none.
json read_object(std::string_view input);

}  // namespace mc::fuzz
