#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

// The fuzz targets, one per file. Each returns, or aborts if a property does not hold.
// libfuzzer.cpp passes one to libFuzzer; replay_test.cpp runs all of them on the inputs of corpus/.
namespace mc::fuzz {

void accounts(std::string_view input);  // the ConfigMap of a namespace, which users may edit
void admission_review(std::string_view input);  // an AdmissionReview through review()
void minicluster(std::string_view input);       // defaults, validation, render
void manifest(std::string_view input);          // YAML documents through check and render
void curve_certificate(std::string_view input);
void hostlist(std::string_view input);
void quantity(std::string_view input);
void duration(std::string_view input);  // Flux durations and those of our flags
void broker_config(std::string_view input);
void script(std::string_view input);  // a user's file, as the command of `kubectl minicluster run`
void shell_words(std::string_view input);
void watch_line(std::string_view input);
void kubeconfig(std::string_view input);
void http_request(std::string_view input);  // what one connection sends

// The inputs of corpus/<target>, sorted; for targets that read MiniClusters also those of
// examples/. Defined in replay_test.cpp.
std::vector<std::filesystem::path> inputs_of(const std::string& target);
using FuzzTarget = void (*)(std::string_view);
const std::map<std::string, FuzzTarget>& all_targets();

// Unless `holds`, prints `what` and aborts, so that libFuzzer keeps the input.
void require(bool holds, const std::string& what);

// True outside of libFuzzer, where each input runs once and slow checks are affordable.
bool replaying();

// Parses JSON, or YAML with one document, of at most 500 levels; any other input yields a discarded
// value.
json read_object(std::string_view input);

}  // namespace mc::fuzz
