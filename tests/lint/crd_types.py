#!/usr/bin/env python3
"""Usage: crd_types.py CRD... > types.go

Writes the schemas of CustomResourceDefinitions as the Go types that controller-gen would make them
from, for kube-api-linter. The name of a type is its path. What holds any content (Kubernetes' own
types) is a RawExtension.
"""

import json
import sys

import yaml

HEAD = """package v1alpha2

import (
\tmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
\t"k8s.io/apimachinery/pkg/runtime"
\t"k8s.io/apimachinery/pkg/util/intstr"
)
"""
LIMITS = {
    "minimum": "Minimum",
    "maximum": "Maximum",
    "minLength": "MinLength",
    "maxLength": "MaxLength",
    "minItems": "MinItems",
    "maxItems": "MaxItems",
    "minProperties": "MinProperties",
    "maxProperties": "MaxProperties",
    "pattern": "Pattern",
}
SIMPLE = {"string": "string", "boolean": "bool", "number": "float64"}
TYPES = {}  # the text of each struct, by its name


def go_name(name):
    return name[0].upper() + name[1:]


def go_type(schema, path):
    if schema.get("x-kubernetes-int-or-string"):
        return "intstr.IntOrString"
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return "runtime.RawExtension"
    kind = schema["type"]
    if kind == "string" and schema.get("format") == "date-time":
        return "metav1.Time"
    if kind in SIMPLE:
        return SIMPLE[kind]
    if kind == "integer":
        return schema.get("format", "int")
    if kind == "array":
        return "[]" + go_type(schema["items"], path)
    if "properties" not in schema and "additionalProperties" not in schema:
        return "runtime.RawExtension"
    if "additionalProperties" in schema:
        return "map[string]" + go_type(schema["additionalProperties"], path)
    TYPES[path] = None  # its place, before the types of its fields
    TYPES[path] = struct(schema, path)
    return path


def markers(schema, required):
    yield "required" if required else "optional"
    if "default" in schema:
        yield "default=" + json.dumps(schema["default"])
    if schema.get("nullable"):
        yield "nullable"
    if "enum" in schema:
        yield "kubebuilder:validation:Enum=" + ";".join(json.dumps(one) for one in schema["enum"])
    for name, marker in LIMITS.items():
        if name in schema:
            yield f"kubebuilder:validation:{marker}={json.dumps(schema[name])}"
    if schema["type"] == "array" and "x-kubernetes-list-type" in schema:
        yield "listType=" + schema["x-kubernetes-list-type"]
        for key in schema.get("x-kubernetes-list-map-keys", []):
            yield "listMapKey=" + key


def field(name, schema, path, required):
    schema = {"type": "any", **schema}
    kind = "[]metav1.Condition" if name == "conditions" else go_type(schema, path + go_name(name))
    pointer = "" if required or kind.startswith(("[]", "map[")) else "*"
    lines = [f"{name} is described in the CRD."]
    lines += ["+" + marker for marker in markers(schema, required)]
    comment = "".join(f"\t// {line}\n" for line in lines)
    return f'{comment}\t{go_name(name)} {pointer}{kind} `json:"{name},omitempty"`\n'


def struct(schema, path):
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    fields = [field(name, one, path, name in required) for name, one in properties.items()]
    return f"// {path} is described in the CRD.\ntype {path} struct {{\n" + "".join(fields) + "}\n"


def main():
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            crd = yaml.safe_load(file)
        for version in crd["spec"]["versions"]:
            properties = version["schema"]["openAPIV3Schema"]["properties"]
            for part in ("spec", "status"):
                go_type(properties[part], crd["spec"]["names"]["kind"] + go_name(part))
    print(HEAD + "\n" + "\n".join(TYPES.values()))


main()
