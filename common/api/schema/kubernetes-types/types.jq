# The names and types of the fields of a PodSpec and of all types in it, without descriptions, from
# Kubernetes' published OpenAPI (swagger.json). Used by generate.sh.
def short: sub(".*[./]"; "");

def shape:
  if has("$ref") then {"$ref": (."$ref" | short)}
  elif .format == "int-or-string" then {type: .format}
  elif .type == "array" then {type, items: (.items | shape)}
  elif has("additionalProperties") then {type, additionalProperties: (.additionalProperties | shape)}
  elif has("properties") then {type, properties: (.properties | map_values(shape))}
  elif .type == "object" then {type, "x-kubernetes-preserve-unknown-fields": true}
  elif .type == "integer" then {type, format}
  else {type} end;

# Types by their name in Kubernetes' documentation. The API server accepts a quantity as a string or
# a number.
def definitions:
  .definitions | with_entries(select(.key | test("^io\\.k8s\\.(api\\.core\\.v1|apimachinery)\\.")) |
    {key: (.key | short), value: (.value | shape)}) | .Quantity = {type: "quantity"};

# `names` and, recursively, the types that these refer to.
def closure($all; $names):
  ([$all[$names[]] | .. | objects | ."$ref" // empty] - $names | unique) as $more |
  if $more == [] then $names | sort else closure($all; $names + $more) end;

def types: definitions as $all | closure($all; ["PodSpec"]) | map({key: ., value: $all[.]}) | from_entries;

# As a structural schema, which has no type for values that are a string or a number. Unknown fields
# are preserved, so that the webhook can name them.
def structural($all):
  if has("$ref") then $all[."$ref"] | structural($all)
  elif .type == "quantity" then {"x-kubernetes-preserve-unknown-fields": true}
  elif .type == "array" then .items |= structural($all)
  elif has("additionalProperties") then .additionalProperties |= structural($all)
  elif has("properties") then
    {type, "x-kubernetes-preserve-unknown-fields": true, properties: (.properties | map_values(structural($all)))}
  else . end;

# The fields of the type, for the CRD.
def in_crd($name): types as $all | $all[$name] | structural($all) | .properties;
