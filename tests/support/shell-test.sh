#!/usr/bin/env bash
# Usage: shell-test.sh REPORT COMMAND...
# Runs a check and writes its outcome to REPORT in the form of a GoogleTest report, for
# tests/run.sh to count.
set -uo pipefail

report=$1
shift
status=0
"$@" || status=$?
failures=
[ "$status" = 0 ] || failures=', "failures": [{"failure": "see above"}]'
mkdir -p "$(dirname "$report")"
echo "{\"testsuites\": [{\"testsuite\": [{\"status\": \"RUN\"$failures}]}]}" >"$report"
exit "$status"
