#!/usr/bin/env bash
# Usage: tests/versions.sh [VERSION...]
# Runs the stories of tests/run.sh on a control plane of other versions of Kubernetes, such as 1.31;
# by default on the oldest and the newest pinned one (tests/control_plane/pin.sh). It leaves out
# stories that do not depend on the version, and the page that shows one kubectl's output. If a
# feature gate can remove a field that we rely on, the stories about its absence run without it. The
# last line is `N passed, N failed`, the sum of all; the exit code is 1 if anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/lib.sh
. tests/support/lib.sh

same_everywhere='*Gang*:Monitoring.*:LeaderElection.*:Certificates.*:TranscriptStory.*'
off=JobSuccessPolicy=false
passed=0 failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
unset KUBEBUILDER_ASSETS  # it holds programs of one version

program() { MINICLUSTER_KUBERNETES=$version tests/control_plane/build.sh "$1"; }

# stories FILTER [FEATURE-GATES]: runs these stories of test_integration on $version.
stories() {
  local status=0 good bad
  env MINICLUSTER_KUBERNETES="$version" GTEST_FILTER="$1" MINICLUSTER_TEST_FEATURE_GATES="${2-}" \
    tests/run.sh '^integration$' </dev/null 2>&1 | tee "$output" || status=$?
  read -r good bad < <(closing "$output" "$status" || echo 0 1)
  passed=$((passed + good)) failed=$((failed + bad))
}

versions=("$@")
if [ $# = 0 ]; then
  mapfile -t versions < <(printf '%s\n' tests/control_plane/kubernetes-* | sed 's/.*-//' |
    sort -V | sed -n '1p;$p')
fi
for version in "${versions[@]}"; do
  [ -d "tests/control_plane/kubernetes-$version" ] || {
    echo "Kubernetes $version is not pinned: tests/control_plane/pin.sh $version.N does so" >&2
    exit 2
  }
done
for version in "${versions[@]}"; do
  started=$SECONDS
  apiserver=$(program kube-apiserver)
  echo "=== $("$apiserver" --version)"
  stories "-$same_everywhere"
  # The help lists the gates that can be set. Without -q: grep reads it whole, so that nobody writes
  # to a closed pipe.
  if "$apiserver" --help | grep "${off%=*}=true|false" >"$output"; then
    echo "=== $("$apiserver" --version), with $off"
    stories '*WithoutSuccessPolicy*' "$off"
  fi
  echo "=== Kubernetes $version took $((SECONDS - started)) s"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
