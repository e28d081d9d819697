#!/usr/bin/env bash
# Usage: shell-test.sh REPORT COMMAND...
# Runs a check and writes its result to REPORT as a GoogleTest report, which tests/run.sh counts.
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
