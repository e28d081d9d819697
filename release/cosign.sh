#!/usr/bin/env bash
# Usage: cosign.sh
# Prints the path of cosign, built once from the Go module in cosign/ and kept in a cache outside the
# tree.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/build_once.sh
. "$here/../tests/support/build_once.sh"
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}

build() {
  local go
  go=$("$here/../tests/control_plane/go.sh")
  unset GOROOT  # may belong to another Go
  CGO_ENABLED=0 GOGC=400 GOFLAGS=-mod=readonly "$go" build -C "$here/cosign" -trimpath \
    -gcflags=all=-dwarf=false -ldflags "-s -w" -o "$1/cosign" github.com/sigstore/cosign/v2/cmd/cosign
}
folder=$(build_once cosign "$cache/cosign-$(sha256sum <"$here/cosign/go.sum" | cut -c1-16)" "10 minutes")
echo "$folder/cosign"
