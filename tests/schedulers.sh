#!/usr/bin/env bash
# Usage: tests/schedulers.sh [KIND...]
# Runs the stories about gang scheduling (suites with Gang in their name) for each KIND:
#   native-1.37, native-1.36     kube-scheduler of that version, with the feature gates that it needs
#   node                         kube-scheduler of 1.37 on a real node with real Flux (e2e/run.sh)
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

# run COMMAND...: adds its tests to passed and failed.
run() {
  local status=0 good bad
  "$@" </dev/null 2>&1 | tee "$output" || status=$?
  read -r good bad < <(closing "$output" "$status" || echo 0 1)
  passed=$((passed + good)) failed=$((failed + bad))
}

# stories VARIABLE=VALUE...: runs them with these variables, and prints what they have measured.
stories() {
  run env GTEST_FILTER="$filter" "$@" tests/run.sh --stories '^integration$'
  report build/ci/reports/integration.json | jq -r '.testsuites[].testsuite[] | to_entries[] |
    select(.key | startswith("measured")) | .value' || true  # it may have crashed
}

# native VERSION: sets the variables with which a control plane has PodGroups.
native() {
  local gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true api=v1beta1
  [ "$1" != 1.36 ] || gates+=,GangScheduling=true,WorkloadAwarePreemption=true api=v1alpha2
  control_plane=(MINICLUSTER_KUBERNETES="$1" MINICLUSTER_TEST_GANG=Native
    MINICLUSTER_TEST_FEATURE_GATES="$gates"
    MINICLUSTER_TEST_RUNTIME_CONFIG="scheduling.k8s.io/$api=true")
}

# beside KIND SCHEDULER: with a scheduler of its own.
beside() {
  local status=0
  tests/schedulers/build.sh "$2" >/dev/null || status=$?
  case $status in
    0) stories MINICLUSTER_TEST_GANG="$1" MINICLUSTER_TEST_SCHEDULER="$2" ;;
    3) left_out+=("$2: set MINICLUSTER_SCHEDULERS_SOURCE to the folder with its source") ;;
    *) failed=$((failed + 1)) ;;
  esac
}

on_node() {
  if tests/flux/build.sh --source >/dev/null 2>&1; then
    run env "$@" e2e/run.sh "$filter"
  else
    left_out+=("node: set MINICLUSTER_FLUX_SOURCE to the folder with Flux's source")
  fi
}

[ $# -gt 0 ] || set -- native-1.37 native-1.36 coscheduling volcano node
for kind in "$@"; do
  echo "=== $kind"
  case $kind in
    native-1.37 | native-1.36) native "${kind#native-}" && stories "${control_plane[@]}" ;;
    node) native 1.37 && on_node "${control_plane[@]}" ;;
    coscheduling) beside Coscheduling coscheduling ;;
    volcano) beside Volcano volcano ;;
    *)
      echo "tests/schedulers.sh: no kind $kind" >&2
      exit 2
      ;;
  esac
done
[ "${#left_out[@]}" = 0 ] || printf 'LEFT OUT: %s\n' "${left_out[@]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
