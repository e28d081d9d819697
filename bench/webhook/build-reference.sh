#!/usr/bin/env bash
# Usage: build-reference.sh
# Builds the webhook on controller-runtime (reference/) and prints the path of the program.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$PWD/build/release/reference
go=$(tests/control_plane/go.sh)
mkdir -p "$folder"
(cd bench/webhook/reference && unset GOROOT && CGO_ENABLED=0 GOFLAGS='-mod=readonly -buildvcs=false' \
  "$go" build -trimpath -o "$folder/" .)
echo "$folder/reference"
