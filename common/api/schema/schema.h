#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/names.h"
#include "common/base/json.h"

// Reads the embedded CRDs (crds/) and applies them as the API server would, so that the binaries
// give the same results without a cluster. A `kind` is one of kApiKinds.
namespace mc::api {

// The openAPIV3Schema of v1alpha2. Parsed once.
const json& schema(std::string_view kind = kKind);

// The whole CRD object.
const json& crd(std::string_view kind = kKind);

// The object without properties that mean "not set" ("", false, null, [] and {}, all of which
// clients generated from Go types send), so that absent and not set are the same. A 0 stays, except
// in leadBroker. Map entries (labels, environment), embedded Kubernetes types and everything
// outside spec are unchanged.
json without_unset(const json& object, std::string_view kind = kKind);

class Additions;

// The object with the schema's static defaults, which are put into `additions` too, if that is
// given. As in the API server, a default is set only if its parent object is there. Replaces only
// values that mean "not set".
json with_static_defaults(json object, std::string_view kind = kKind,
                          Additions* additions = nullptr);

// The number of errors that an Examination lists; it counts the rest. The functions declared here
// return at most one more of each kind.
inline constexpr std::size_t kMostErrors = 100;

// Removes the values of a wrong type from the object, and returns an error for each that says what
// would be valid. In embedded Kubernetes types and in spec.pod.template they stay.
FieldErrors remove_wrong_types(json& object, std::string_view kind = kKind);

struct UnknownField {
  FieldPath path;
  std::string detail;  // with the field that was probably meant (suggested_field.h)
  bool embedded;       // in a Kubernetes type; otherwise in one of ours
};

// The properties below spec that are unknown, in the API or in Kubernetes' own types.
std::vector<UnknownField> unknown_fields(const json& object, std::string_view kind = kKind);

// Those beside spec and in metadata, of an object of any of our kinds.
std::vector<UnknownField> unknown_fields_beside_spec(const json& object);

// Every property below spec, as `spec.containers[].volumes{}.path`; an embedded Kubernetes type
// (x-kubernetes-preserve-unknown-fields) counts as one.
std::set<std::string> property_paths(std::string_view kind = kKind);

// One node of an OpenAPI v3 structural schema, as the API server reads it, or of a type in
// kubernetes-types/types.json, which adds `$ref` and the types `quantity` and `int-or-string`. Read
// once from the JSON, because looking up members by name for each value took most of a review's
// time. Lives as long as the process.
class SchemaNode {
 public:
  using Properties = std::map<std::string, const SchemaNode*, std::less<>>;

  // The node that `schema` declares, without its children: see SchemaNodes.
  explicit SchemaNode(const json& schema);

  // "" if the schema has none.
  const std::string& type() const { return type_; }

  // One of Kubernetes' own types, which is passed through (resources, securityContext ...).
  bool is_embedded() const { return embedded_; }

  // Embedded, and the schema does not list its fields.
  bool is_opaque() const { return embedded_ && properties_.empty(); }

  // Null if the schema has no default.
  const json* default_value() const { return default_; }

  // The node of a list's entries; of a map's values (null for an object with properties).
  const SchemaNode* items() const { return items_; }
  const SchemaNode* values() const { return values_; }

  // The node of the member `name` of an object or map; null if the schema has none.
  const SchemaNode* child(std::string_view name) const;
  FieldPath child_path(const FieldPath& path, std::string_view name) const;

  // The declared properties, and those that have a default.
  const Properties& properties() const { return properties_; }
  const Properties& properties_with_default() const { return properties_with_default_; }

 private:
  friend class SchemaNodes;

  std::string type_;
  bool embedded_ = false;
  const json* default_ = nullptr;
  const SchemaNode* items_ = nullptr;
  const SchemaNode* values_ = nullptr;
  Properties properties_, properties_with_default_;
};

// The node of `spec` in the embedded CRD.
const SchemaNode& spec_node(std::string_view kind = kKind);

// Every Kubernetes type in a PodSpec, by name.
const SchemaNode::Properties& kubernetes_types();

// spec.pod.template is a merge patch, in which null removes a value, so the CRD cannot declare its
// types. Its `spec` patches a core/v1 PodSpec.
const SchemaNode& pod_spec_node();
inline constexpr std::string_view kPodSpecPatch = "spec.pod.template.spec";

// The position of a walk through an object. Its path is built only when needed, so that a walk is
// linear however long the names are. Refers to its parent and to its name.
class Place {
 public:
  // "": the object itself.
  explicit Place(std::string_view root) : name_(root) {}

  Place operator[](std::size_t index) const { return {this, "", Kind::Item, index}; }
  Place operator/(std::string_view name) const { return {this, name, Kind::Field, 0}; }
  // The member `name` of a value with this schema.
  Place child(const SchemaNode& schema, std::string_view name) const {
    return {this, name, schema.values() ? Kind::Key : Kind::Field, 0};
  }

  // A name of more than 256 bytes is cut.
  FieldPath path() const;

  // The JSON pointer (RFC 6901).
  std::string pointer() const;

  // Whether it is an item of a list, or within one.
  bool is_in_list() const {
    return kind_ == Kind::Item || (parent_ != nullptr && parent_->is_in_list());
  }

 private:
  enum class Kind { Field, Key, Item };

  Place(const Place* parent, std::string_view name, Kind kind, std::size_t index)
      : parent_(parent), name_(name), kind_(kind), index_(index) {}

  const Place* parent_ = nullptr;  // null: the root
  std::string_view name_;
  Kind kind_ = Kind::Field;
  std::size_t index_ = 0;
};

// The defaults that were set in an object, for a patch that sets the same ones. Refers to their
// values there.
class Additions {
 public:
  // `value` was set in `parent`, at `place`: in place of another value (`replaces`) or as a new
  // member. A value that is set again, or within one that was set before, is one addition.
  void put(const json& parent, const json& value, const Place& place, bool replaces);

  // The JSON patch (RFC 6902), as text; "" if nothing was set. It has `add` and `replace` only:
  // what a user wrote stays, and so do fields unknown to this version.
  std::string patch() const;

 private:
  struct Addition {
    json pointer;
    const json* value;
    bool replaces;
  };
  std::vector<Addition> all_;
  std::set<const json*> values_;  // everything that was set
};

// Sets the member `name` of `parent`, which is at `place`, unless it has that value already. Within
// a list it is no addition: kubectl apply replaces a list that differs from the file's, so it would
// never see an object unchanged whose stored items have defaults.
void set_default(json& parent, const Place& place, std::string_view name, json value,
                 Additions* additions);

}  // namespace mc::api
