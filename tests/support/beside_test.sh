#!/usr/bin/env bash
# Usage: beside_test.sh
# Tests beside.sh; prints what is wrong.
# shellcheck disable=SC2317  # beside() calls functions by their names
set -euo pipefail
# shellcheck source=tests/support/beside.sh
. "${BASH_SOURCE[0]%/*}/beside.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

good() { echo said; }
bad() { exit 7; }
failing() {
  false
  echo "not reached"
}
killed() { kill -s KILL "$BASHPID"; }
endless() { until [ -e "$folder/never" ]; do sleep 1; done; }
# What bash says of a child that it has forgotten.
wait() { return 127; }

# check SENTENCE EXPECTED-STATUS ARGUMENT-OF-BESIDE...
wrong=0
check() {
  local sentence=$1 expected=$2 status
  shift 2
  set +e  # not a condition, in which bash would ignore failed commands
  (
    set -e
    beside "$folder" "$@"
  ) >"$folder/out" 2>&1
  status=$?
  set -e
  [ "$status" = "$expected" ] || {
    echo "$sentence: $status, not $expected: $(cat "$folder/out")"
    wrong=1
  }
}
check "succeeds although bash has forgotten its children" 0 one=good two=good
check "fails with a function that exits" 1 one=good two=bad
check "fails with a function whose command fails" 1 one=failing
check "fails with a function that is killed" 1 one=killed
check "ends the others of one that fails" 1 one=endless two=bad
exit "$wrong"
