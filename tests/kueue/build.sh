#!/usr/bin/env bash
# Usage: build.sh
# Prints a folder with Kueue's controller, built from source once and kept in a cache outside the
# tree:
#   kueue  the program
#   crds/  its CustomResourceDefinitions
# The source is kueue-VERSION.tar.xz (below) in the folder MINICLUSTER_KUEUE_SOURCE; its
# dependencies are Go modules. Exits 3 with a message if the source is not available.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/build_once.sh
. "$here/../support/build_once.sh"
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
version=0.19.2

no_source() {
  echo "build.sh: no source of Kueue: $1" >&2
  exit 3
}
[ -n "${MINICLUSTER_KUEUE_SOURCE-}" ] || no_source "MINICLUSTER_KUEUE_SOURCE is not set"
source=$(realpath -m "$MINICLUSTER_KUEUE_SOURCE")/kueue-$version.tar.xz
[ -r "$source" ] || no_source "MINICLUSTER_KUEUE_SOURCE is set and there is no $source"

build() {
  local go
  go=$("$here/../control_plane/go.sh")
  unset GOROOT  # may belong to another Go
  mkdir "$1/module"
  tar -xf "$source" -C "$1/module" --strip-components=1
  # It requires a certificate for its metrics in a fixed folder, even if it serves none.
  sed -i 's|metricsCertPath := "/etc/kueue/metrics/certs"|metricsCertPath := cfg.Webhook.CertDir|' \
    "$1/module/cmd/kueue/main.go"
  (cd "$1/module" && CGO_ENABLED=0 GOGC=400 GOFLAGS=-mod=mod "$go" build -trimpath \
    -gcflags=all=-dwarf=false -ldflags "-s -w" -o "$1/kueue" ./cmd/kueue)
  cp -r "$1/module/config/components/crd/bases" "$1/crds"
  rm -rf "$1/module"
}

folder=$cache/kueue-$(cat "$here/build.sh" "$source" | sha256sum | cut -c1-16)
build_once kueue "$folder" "2 to 4 minutes"
