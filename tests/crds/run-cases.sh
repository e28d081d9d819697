#!/usr/bin/env bash
# Usage: run-cases.sh [--kubeconfig FILE]
# Checks the CRDs of crds/ against cases.json, on a real API server with the CRDs installed and no
# webhook: each case is one server-side dry run. Honours KUBECTL and KUBECONFIG.
#
# A case is the base object, or the object that `base` names (`fluxSetup`), with `patch` merged into
# it (RFC 7386), or `object` unchanged (which may contain nulls). `accepted` or `refused` is the
# expected result: every text of `refused` must be in the message, as worded by Kubernetes 1.34. The
# returned object must contain `returns`, and none of the JSON pointers in `lacks`. With `old`, that
# object is stored first and the case is an update of it.
#
# Two members are not for this script. `refusedByWebhook` marks cases that the CRD accepts and the
# webhook refuses (CrdCases). `refusedByPolicies` has what the admission policies say of such a case;
# without it, only the webhook refuses it (AdmissionPolicies).
# Needs bash, jq and kubectl.
set -euo pipefail

if [ "${1:-}" = --kubeconfig ]; then
  export KUBECONFIG=${2:?--kubeconfig needs a file}
fi
kubectl=${KUBECTL:-kubectl}
cases=$(dirname "$0")/cases.json
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# The object of case $1, from its field $2 (patch or old).
object_of() {
  jq -c --argjson n "$1" --arg field "$2" '
    def merge($p):
      if ($p | type) != "object" then $p
      else reduce ($p | to_entries[]) as $e (if type == "object" then . else {} end;
        if $e.value == null then del(.[$e.key]) else .[$e.key] |= merge($e.value) end)
      end;
    . as $all | .cases[$n] | (.base // "base") as $base |
    if .object then .object else .[$field] as $p | $all[$base] | merge($p) end
  ' "$cases"
}

# What is wrong with the API server's answer to case $1 with exit code $2; nothing if it is as
# expected.
verdict() {
  jq -r --argjson n "$1" --argjson code "$2" --rawfile answer "$answer" '
    .cases[$n] |
    if .accepted and $code != 0 then "refused: " + $answer
    elif .accepted then
      (.returns // {}) as $returns | (.lacks // []) as $lacks | ($answer | fromjson) as $object |
      (if $object | contains($returns) then empty else "came back as \($object.spec)" end),
      ($lacks[] as $pointer | ($pointer / "/")[1:] | map(tonumber? // .) as $path |
        if $object | getpath($path) == null then empty else "has \($pointer)" end)
    elif $code == 0 then "accepted"
    else ($answer | gsub("may not be longer than (?<n>[0-9]+)"; "may not be more than \(.n) bytes")) as $said |
      .refused[] as $text | if $said | contains($text) then empty else "does not say: \($text)\n\($answer)" end
    end' "$cases"
}

passed=0
failed=0
count=$(jq '.cases | length' "$cases")
for ((n = 0; n < count; n++)); do
  name=$(jq -r ".cases[$n].name" "$cases")
  code=0
  if [ "$(jq ".cases[$n] | has(\"old\")" "$cases")" = true ]; then
    object_of "$n" old | "$kubectl" delete --ignore-not-found -f - >/dev/null
    object_of "$n" old | "$kubectl" create -f - >/dev/null
    object_of "$n" patch | "$kubectl" apply --server-side --force-conflicts --dry-run=server \
      -o json -f - >"$answer" 2>&1 || code=$?
    object_of "$n" old | "$kubectl" delete -f - >/dev/null
  else
    object_of "$n" patch | "$kubectl" create --dry-run=server -o json -f - >"$answer" 2>&1 || code=$?
  fi
  wrong=$(verdict "$n" "$code")
  if [ -z "$wrong" ]; then
    passed=$((passed + 1))
    echo "ok   $name"
  else
    failed=$((failed + 1))
    echo "FAIL $name: $wrong"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
