#!/usr/bin/env bash
# Usage: generate.sh [--check]
# Generates the schemas of Kubernetes' own types from the OpenAPI file of the Go module k8s.io/kubernetes
# (api/openapi-spec/swagger.json, Apache-2.0), in the newest version that tests/control_plane pins: a
# newer field is no typo.
# - types.json in this folder, for both services: every type in a PodSpec;
# - the lines `properties: {...}  # core/v1 TYPE` of the CRD, and the chart's copy of it.
# --check writes nothing, names each file that is out of date, and exits 1 if there is one.
# Needs bash, jq and the Go of tests/control_plane/go.sh.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
here=common/api/schema/kubernetes-types
crd=crds/flux-framework.org_miniclusters.yaml

case ${1-} in
  '') checking= ;;
  --check) checking=yes ;;
  *) echo "usage: generate.sh [--check]" >&2 && exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go=$(tests/control_plane/go.sh)
newest=$(sed -nE 's/^(require)?\s+k8s.io\/kubernetes (v[0-9.]+)$/\2/p' tests/control_plane/kubernetes*/go.mod | sort -V | tail -n 1)
module=$("$go" mod download -json "k8s.io/kubernetes@$newest")
spec=$(jq -r .Dir <<<"$module")/api/openapi-spec/swagger.json

# of_spec FILTER [OPTION...]: the results of a filter with the functions of types.jq on the OpenAPI, one per line.
of_spec() { jq -L "$here" -c "${@:2}" "include \"types\"; $1" "$spec"; }

# One line for each type, for readable diffs.
{
  jq -r '"{\"source\": \"\(.Path) \(.Version) api/openapi-spec/swagger.json, Apache-2.0\","' <<<"$module"
  echo '"types": {'
  of_spec 'types | to_entries[] | "\(.key | tojson): \(.value | tojson)"' -r | sed '$!s/$/,/'
  echo '}}'
} >"$work/types.json"

while IFS= read -r line; do
  if [[ $line =~ ^(\ *properties:\ ).*(\ \ #\ core/v1\ ([A-Za-z]+))$ ]]; then
    line=${BASH_REMATCH[1]}$(of_spec "in_crd(\$type)" --arg type "${BASH_REMATCH[3]}")${BASH_REMATCH[2]}
  fi
  printf '%s\n' "$line"
done <"$crd" >"$work/crd.yaml"

# put FILE TARGET
code=0
put() {
  cmp -s "$work/$1" "$2" && return
  if [ -n "$checking" ]; then
    echo "$2 is not what $here/generate.sh makes" >&2
    code=1
  else
    cp "$work/$1" "$2"
  fi
}
put types.json "$here/types.json"
put crd.yaml "$crd"
put crd.yaml charts/minicluster-operator/files/crds/flux-framework.org_miniclusters.yaml
exit "$code"
