#include "tests/fuzz/secrets.h"

#include "common/flux/curve.h"

namespace mc::fuzz {
namespace {

void mark(json& value, const char* with) {
  if (value.is_string()) {
    value = value.get<std::string>() + " " + with;
  } else if (value.is_structured()) {
    for (json& member : value) mark(member, with);
  }
}

void mark_member(json& object, const char* name, const char* with) {
  if (object.is_object() && object.contains(name)) mark(object[name], with);
}

void mark_containers(json& spec, const char* list) {
  if (!spec.contains(list) || !spec[list].is_structured()) return;
  for (json& container : spec[list]) {
    mark_member(container, "environment", kEnvironmentMark);
    mark_member(container, "command", kTextMark);
    mark_member(container, "commands", kTextMark);
  }
}

// Containers of spec.pod.template, whose environment is a list.
void mark_template(json& spec) {
  const json::json_pointer containers("/pod/template/spec");
  if (!spec.contains(containers)) return;
  for (const char* list : {"containers", "initContainers"}) {
    json& pod = spec[containers];
    if (!pod.is_object() || !pod.contains(list) || !pod[list].is_structured()) continue;
    for (json& container : pod[list]) {
      if (!container.is_object() || !container.contains("env")) continue;
      json& environment = container["env"];
      if (!environment.is_structured()) continue;
      for (json& variable : environment) mark_member(variable, "value", kEnvironmentMark);
    }
  }
}

void mark_certificate(json& flux) {
  if (!flux.contains("curveCert")) return;
  json& value = flux["curveCert"];
  if (value.is_string() && value.get_ref<const std::string&>().starts_with("# The CURVE")) {
    static const flux::CurveKeys kKeys = {"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
                                          planted_key()};
    value = flux::curve_certificate(kKeys, kCurveMark);
  } else {
    mark(value, kCurveMark);
  }
}

}  // namespace

const std::string& planted_key() {
  static const std::string kKey = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";  // from ZMQ RFC 32
  return kKey;
}

json with_marks(json object) {
  if (!object.is_object() || !object.contains("spec") || !object["spec"].is_object()) return object;
  json& spec = object["spec"];
  mark_containers(spec, "containers");
  mark_containers(spec, "services");
  mark_template(spec);
  if (spec.contains("flux") && spec["flux"].is_object()) {
    mark_member(spec["flux"], "environment", kTextMark);
    mark_member(spec["flux"], "brokerConfig", kTextMark);
    mark_certificate(spec["flux"]);
  }
  return object;
}

bool shows_secret(const std::string& text) {
  return text.contains(kCurveMark) || text.contains(kEnvironmentMark) || text.contains(kTextMark) ||
         text.contains(planted_key());
}

}  // namespace mc::fuzz
