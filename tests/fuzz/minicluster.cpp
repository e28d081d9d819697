#include <cstdlib>
#include <fstream>
#include <set>

#include "common/api/examine.h"
#include "common/base/digest.h"
#include "common/base/yaml.h"
#include "common/render/render.h"
#include "services/controller/cluster/read.h"
#include "services/controller/status/events.h"
#include "services/controller/status/status.h"
#include "tests/fuzz/secrets.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

// The maximum length of an error or warning, in bytes.
constexpr std::size_t kMostError = 8192;

void look_at_words(const api::Examination& found) {
  require(found.errors.size() <= 101 && found.warnings.size() <= 101, "at most a hundred are told");
  for (const api::FieldError& error : found.errors) {
    const std::string text = to_string(error);
    require(text.size() < kMostError, "an error is said shortly: " + text.substr(0, 200));
    require(!shows_secret(text), "an error shows nothing secret: " + text);
  }
  for (const std::string& warning : found.warnings) {
    require(warning.size() < kMostError, "a warning is said shortly: " + warning.substr(0, 200));
    require(!shows_secret(warning), "a warning shows nothing secret: " + warning);
  }
}

// Checks the controller's status before any object exists.
void look_at_status(const json& object, const api::Examination& found) {
  controller::Observed observed;
  observed.cluster =
      std::make_shared<const controller::MiniCluster>(controller::read_mini_cluster(object));
  const controller::ClusterStatus status = controller::status(observed, found, {}, {});
  const std::string text = dump(controller::to_json(status));
  require(text.size() < 65536, "a status is bounded");
  require(!shows_secret(text), "a status shows nothing secret");
  for (const controller::StatusEvent& event : controller::events({}, status)) {
    require(event.message.size() <= 32768, "an event is bounded");
  }
}

// The certificate may be only in the Secret, values of a container's environment only in pods.
void look_for_secrets(const json& object, const std::string& yaml) {
  const std::string kind = object.at("kind");
  const bool in_pods = kind == "Job" || kind == "Pod";
  require(kind == "Secret" || !(yaml.contains(kCurveMark) || yaml.contains(planted_key())),
          "the certificate stays in its Secret, not in " + kind);
  require(in_pods || !yaml.contains(kEnvironmentMark),
          "values of environments stay in pods, not in " + kind);
}

void look_at_objects(const api::MiniCluster& cluster) {
  const std::string certificate =
      cluster.spec.flux.curve_cert.empty() ? "fresh\n" : cluster.spec.flux.curve_cert;
  std::set<std::string> names;
  for (const json& object : render::render(cluster, certificate)) {
    const std::string name = object.at("kind").get<std::string>() + "/" +
                             object.at("metadata").at("name").get<std::string>();
    require(names.insert(name).second, "every object has a name of its own: " + name);
    const std::string yaml = to_yaml(object);
    const auto read = parse_yaml(yaml);
    require(read && read->size() == 1 && read->front() == object, "its YAML is " + name);
    look_for_secrets(object, yaml);
  }
}

// Saves a sample of the accepted objects in the folder $MINICLUSTER_FUZZ_ACCEPTED.
void keep(const json& object) {
  const char* const folder = std::getenv("MINICLUSTER_FUZZ_ACCEPTED");
  if (folder == nullptr) return;
  const std::string text = object.dump(1), digest = fnv1a_hex(text);
  if (digest.starts_with("0")) std::ofstream(std::string(folder) + "/" + digest) << text << "\n";
}

}  // namespace

// A MiniCluster, or a list of the new and the old one of an update.
void minicluster(std::string_view input) {
  const json read = read_object(input);
  if (read.is_discarded() || shows_secret(dump(read))) return;
  const bool update = read.is_array() && read.size() == 2;
  const json& written = update ? read[0] : read;
  const json object = with_marks(written), old = update ? with_marks(read[1]) : json();
  const api::Examination found = api::examine(object, old);
  look_at_words(found);
  look_at_status(object, found);
  if (!found.errors.empty() || !object.is_object() || update) return;
  const api::Examination again = api::examine(found.defaulted);
  require(again.errors.empty(), "what is accepted is accepted with its defaults");
  require(again.defaulted == found.defaulted, "defaults are added once");
  require(api::examine(found.defaulted, object).errors.empty(), "and are no change");
  look_at_objects(found.cluster);
  keep(written);
}

}  // namespace mc::fuzz
