#!/usr/bin/env bash
# Usage: test-arm64.sh
# Builds the images and the kubectl plugin for arm64, and runs them in their own roots under Debian's
# qemu-user: both services with a private control plane on this machine, whose API server asks the
# webhook, and the plugin as its user. Needs root and another architecture; the last line is
# `N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=release/buildah.sh
. release/buildah.sh
# shellcheck source=tests/support/checks.sh
. tests/support/checks.sh
# shellcheck source=tests/support/processes.sh
. tests/support/processes.sh

dir=$(mktemp -d)
plane=$dir/control-plane
version=$(release/version.sh)

finish() {
  local status=$?
  trap '' INT TERM HUP
  stop controller
  stop webhook
  tests/control_plane/control-plane.sh down "$plane" || status=1
  rm -rf --one-file-system "$dir"
  conclude "$status" || exit 1
}

k() { HOME=$plane/home "$plane/kubectl" --kubeconfig "$plane/kubeconfig" "$@"; }

# bring_root PROGRAM: its root in $dir/roots, and $dir/bin/PROGRAM, which runs it there with the image's
# command, and with $dir at the same path.
bring_root() {
  local root=$dir/roots/$1
  mkdir -p "$root"
  lock_images
  program_image "$1" arm64 "$PWD" "$version" "$(git rev-parse HEAD)"
  in_root "$1:$version-arm64" arm64 cp -a . "$root"
  exec 9>&-  # the lock
  cp "$(command -v qemu-aarch64-static)" "$root/qemu"
  mkdir -p "$root/proc" "$root/dev" "$root$dir"
  cat >"$dir/bin/$1" <<END
#!/bin/sh -e
[ -n "\$IN_NAMESPACE" ] || exec env IN_NAMESPACE=yes unshare --mount "\$0" "\$@"
mount --rbind /proc '$root/proc'
mount --rbind /dev '$root/dev'
mount --bind '$dir' '$root$dir'
exec chroot '$root' /qemu /$1 "\$@"
END
  chmod +x "$dir/bin/$1"
  check "$1 is for arm64" is_of_arm64 "$1"
  check "$1 starts" says_its_version "$1"
}

is_of_arm64() { readelf --file-header "$dir/roots/$1/$1" | grep AArch64; }
says_its_version() { "$dir/bin/$1" --version | grep -F "$version"; }

# Its API server asks the webhook, and the controller is ready.
start_services() {
  tests/control_plane/control-plane.sh up "$plane" && e2e/cluster/operator.sh "$dir" "$dir/bin"
}

webhook_fills_in_defaults() {
  k create --dry-run=server -o json -f examples/hello-world.yaml | jq -e '.spec.maxSize == 4'
}
webhook_refuses_a_wrong_spec() {
  ! jq -n '{apiVersion: "flux-framework.org/v1alpha2", kind: "MiniCluster", metadata: {name: "wrong"},
    spec: {size: 2, containers: [{image: "a", ports: [70000]}]}}' | k create --dry-run=server -f - 2>"$dir/refusal" &&
    grep -F 'spec.containers[0].ports[0]' "$dir/refusal"
}
controller_makes_the_objects() {
  k apply -f examples/hello-world.yaml &&
    k wait --for=condition=ObjectsReady --timeout=60s minicluster/hello-world &&
    k get job/hello-world
}
# It runs kubectl, which is one for this machine. That of the control plane is a link out of $dir.
plugin_lists_it() {
  mkdir "$dir/kubectl" && cp -L "$plane/kubectl" "$dir/kubectl" &&
    HOME=$plane/home KUBECONFIG=$plane/kubeconfig PATH=$dir/kubectl:$PATH \
      "$dir/bin/kubectl-minicluster" get | grep hello-world
}
ends_when_told() {
  signal TERM "$1"
  until_true 200 stopped "$1" && ! grep '^[EF][0-9]' "$dir/logs/$1.log"
}

if [ "$(dpkg --print-architecture)" = arm64 ]; then
  die "this system is arm64: make test and make e2e run these programs as they are"
fi
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
./packages.sh --release
tests/control_plane/build.sh control-plane >/dev/null
mkdir -p "$dir"/{bin,logs,pids,roots}
echo "building for arm64 (a quarter of an hour the first time) ..."
bring_root minicluster-webhook
bring_root minicluster-controller
check "both services become ready, and the API server asks the webhook" start_services
check "the webhook fills in defaults" webhook_fills_in_defaults
check "the webhook refuses a wrong spec" webhook_refuses_a_wrong_spec
check "the controller makes the objects of a MiniCluster" controller_makes_the_objects
bring_root kubectl-minicluster
check "the plugin lists it" plugin_lists_it
check "the controller ends when it is told to, without an error in its log" ends_when_told controller
check "the webhook ends when it is told to, without an error in its log" ends_when_told webhook
