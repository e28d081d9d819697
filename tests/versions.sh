#!/usr/bin/env bash
# Usage: tests/versions.sh [VERSION...]
# The stories on a control plane (tests/run.sh) on other versions of Kubernetes, such as 1.31; without
# VERSION on each that is pinned (tests/control_plane/pin.sh). Left out are those that ask nothing of
# Kubernetes that differs from version to version, and the page that shows what one kubectl says. Where a
# feature gate can take away a field that we rely on, those that need it gone are told without it.
# The last line is `N passed, N failed`, the sum of all; the exit code is 1 when anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/lib.sh
. tests/support/lib.sh

same_everywhere='Monitoring.*:LeaderElection.*:Certificates.*:TranscriptStory.*'
off=JobSuccessPolicy=false
passed=0 failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
unset KUBEBUILDER_ASSETS  # these are of one version

program() { MINICLUSTER_KUBERNETES=$version tests/control_plane/build.sh "$1"; }

# stories FILTER [FEATURE-GATES]: of test_integration, on $version.
stories() {
  local status=0 good bad
  env MINICLUSTER_KUBERNETES="$version" GTEST_FILTER="$1" MINICLUSTER_TEST_FEATURE_GATES="${2-}" \
    tests/run.sh '^integration$' </dev/null 2>&1 | tee "$output" || status=$?
  read -r good bad < <(closing "$output" "$status" || echo 0 1)
  passed=$((passed + good)) failed=$((failed + bad))
}

versions=("$@")
if [ $# = 0 ]; then
  for folder in tests/control_plane/kubernetes-*; do versions+=("${folder##*-}"); done
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
  # Its help names the gates that can be set.
  if "$apiserver" --help | grep -q "${off%=*}=true|false"; then
    echo "=== $("$apiserver" --version), with $off"
    stories '*WithoutSuccessPolicy*' "$off"
  fi
  echo "=== Kubernetes $version took $((SECONDS - started)) s"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
