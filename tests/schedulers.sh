#!/usr/bin/env bash
# Usage: tests/schedulers.sh [KIND...]
# Runs the stories about gang scheduling (suites with Gang in their name) for each KIND:
#   native-1.37, native-1.36     kube-scheduler of that version, with the feature gates that it needs
#   coscheduling, volcano        that scheduler beside the kube-scheduler of make test, built from
#                                source (tests/schedulers/build.sh)
# By default for all of them; those without a source are left out, and the end of the output says so.
# GTEST_FILTER selects stories. The last line is `N passed, N failed`, the sum of all; the exit code
# is 1 if anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/lib.sh
. tests/support/lib.sh
unset KUBEBUILDER_ASSETS MINICLUSTER_KUBERNETES  # they hold programs of one version

filter=${GTEST_FILTER-*Gang*}
passed=0 failed=0
left_out=()
output=$(mktemp)
trap 'rm -f "$output"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# stories VARIABLE=VALUE...: runs them with these variables, and prints what they have measured.
stories() {
  local status=0 good bad
  env GTEST_FILTER="$filter" "$@" tests/run.sh --stories '^integration$' </dev/null 2>&1 |
    tee "$output" || status=$?
  report build/ci/reports/integration.json | jq -r '.testsuites[].testsuite[] | to_entries[] |
    select(.key | startswith("measured")) | .value' || true  # it may have crashed
  read -r good bad < <(closing "$output" "$status" || echo 0 1)
  passed=$((passed + good)) failed=$((failed + bad))
}

# native VERSION GATES API
native() {
  stories MINICLUSTER_KUBERNETES="$1" MINICLUSTER_TEST_GANG=Native \
    MINICLUSTER_TEST_FEATURE_GATES="$2" MINICLUSTER_TEST_RUNTIME_CONFIG="scheduling.k8s.io/$3=true"
}

# beside KIND SCHEDULER: with a scheduler of its own.
beside() {
  local status=0
  tests/schedulers/build.sh "$2" >/dev/null || status=$?
  case $status in
    0) stories MINICLUSTER_TEST_GANG="$1" MINICLUSTER_TEST_SCHEDULER="$2" ;;
    3) left_out+=("$2") ;;
    *) failed=$((failed + 1)) ;;
  esac
}

[ $# -gt 0 ] || set -- native-1.37 native-1.36 coscheduling volcano
for kind in "$@"; do
  echo "=== $kind"
  case $kind in
    native-1.37) native 1.37 GenericWorkload=true,TopologyAwareWorkloadScheduling=true v1beta1 ;;
    native-1.36)
      gates=GenericWorkload=true,GangScheduling=true
      native 1.36 "$gates,TopologyAwareWorkloadScheduling=true,WorkloadAwarePreemption=true" v1alpha2
      ;;
    coscheduling) beside Coscheduling coscheduling ;;
    volcano) beside Volcano volcano ;;
    *)
      echo "tests/schedulers.sh: no kind $kind" >&2
      exit 2
      ;;
  esac
done
for kind in "${left_out[@]}"; do
  echo "$kind WAS LEFT OUT; make test-schedulers with MINICLUSTER_SCHEDULERS_SOURCE=FOLDER, where its" \
    "source is, has it"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
