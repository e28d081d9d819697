#!/usr/bin/env bash
# Usage: run.sh [ROUNDS]
# What happens from the creation of an object to the first output of its command and to its end, step
# by step, on a real node with real Flux: a plain Job, a MiniCluster with Flux in its image, and one
# with the Flux view, beside as many brokers in one pod. Needs root, and the source of Flux
# (tests/flux/build.sh). With MINICLUSTER_E2E_KEEP=DIR the cluster is in DIR: started if there is
# none, and kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/support/lib.sh
. tests/support/lib.sh

images=build/e2e/images artifacts=build/release-artifacts
work=$(mktemp -d)
# In memory: where thousands of files were just deleted, as at the end of each round, ext4 takes
# seconds to find inodes for the next copy of a view.
cluster=${MINICLUSTER_E2E_KEEP:-$(mktemp -d -p /dev/shm)/c}
events=

finish() {
  trap '' INT TERM HUP
  [ -z "$events" ] || kill -- "-$events" 2>/dev/null || true
  if [ -z "${MINICLUSTER_E2E_KEEP-}" ]; then
    e2e/cluster/cluster.sh down "$cluster" || true
    rmdir "${cluster%/c}" || true
  else
    kubectl delete namespace first-output --ignore-not-found >/dev/null 2>&1 || true
  fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

inside() { e2e/cluster/cluster.sh exec "$cluster" env HOME="$cluster/control-plane/home" "$@"; }
kubectl() {
  inside "$cluster/control-plane/kubectl" --kubeconfig "$cluster/control-plane/kubeconfig" "$@"
}

build_images() {
  release/artifacts.sh "$artifacts"
  e2e/images/build.sh --flux "$flux" "$images" pause application flux flux-view
}

# The pods are restarted, because a kept cluster may run an earlier image of the same version.
install_operator() {
  local version
  version=$(release/version.sh)
  e2e/cluster/cluster.sh load "$cluster" "$images"/{pause,application,flux,flux-view}.tar \
    "$artifacts"/*-"$version".oci.tar
  inside "$(tests/control_plane/build.sh helm)" upgrade --install minicluster-operator \
    "$PWD/$artifacts/minicluster-operator-$version.tgz" --namespace minicluster-system \
    --create-namespace --kubeconfig "$cluster/control-plane/kubeconfig" \
    --set image.registry=localhost --wait
  kubectl --namespace minicluster-system rollout restart deployment
  kubectl --namespace minicluster-system rollout status deployment --timeout=2m
}
admitted() { kubectl create --dry-run=server -f examples/hello-world.yaml >/dev/null 2>&1; }
namespace_ready() { kubectl --namespace first-output get serviceaccount default >/dev/null 2>&1; }

flux=$(tests/flux/build.sh)
mkdir -p build/bench
echo "building the operator, the images and the benchmark (many minutes the first time) ..." >&2
cmake --preset release >/dev/null
cmake --build --preset release --target bench_first_output >/dev/null
build_images >&2
tests/control_plane/build.sh control-plane node helm >/dev/null
[ -e "$cluster/ready" ] || e2e/cluster/cluster.sh up "$cluster"
install_operator >&2
until_true 900 admitted
kubectl delete namespace first-output --ignore-not-found >/dev/null  # of a run that was killed
kubectl create namespace first-output >/dev/null
until_true 300 namespace_ready
: >"$work/events"
setsid e2e/cluster/cluster.sh exec "$cluster" ctr --namespace k8s.io events >>"$work/events" &
events=$!
inside "$PWD/build/release/bin/bench_first_output" "$cluster/control-plane" "$work/events" \
  "$PWD/build/bench/first-output.svg" "$@"
