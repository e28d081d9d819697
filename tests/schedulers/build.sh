#!/usr/bin/env bash
# Usage: build.sh coscheduling|volcano
# Prints a folder with a scheduler that places groups of pods, built from source once and kept in a
# cache outside the tree:
#   scheduler   the program
#   controller  the one that keeps the status of its objects
#   crds/       its CustomResourceDefinitions
# The source is scheduler-plugins.tar.xz or volcano.tar.xz in the folder
# MINICLUSTER_SCHEDULERS_SOURCE; its dependencies are Go modules. Exits 3 with a message if the
# source is not available.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/build_once.sh
. "$here/../support/build_once.sh"
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
# The release of Kubernetes that Coscheduling is built with: the one that its go.mod requires need
# not be available.
kubernetes=1.35.5

case ${1-} in
  coscheduling) archive=scheduler-plugins.tar.xz ;;
  volcano) archive=volcano.tar.xz ;;
  *) echo "usage: build.sh coscheduling|volcano" >&2 && exit 2 ;;
esac
kind=$1

no_source() {
  echo "build.sh: no source of $kind: $1" >&2
  exit 3
}
[ -n "${MINICLUSTER_SCHEDULERS_SOURCE-}" ] || no_source "MINICLUSTER_SCHEDULERS_SOURCE is not set"
source=$(realpath -m "$MINICLUSTER_SCHEDULERS_SOURCE")/$archive
[ -r "$source" ] || no_source "MINICLUSTER_SCHEDULERS_SOURCE is set and there is no $source"

# Edits go.mod: Kubernetes and its staging modules, which are released as 0.35.5, in that release.
replace_kubernetes() {
  local -a edits
  mapfile -t edits < <("$go" mod edit -json | jq -r --arg version "$kubernetes" '
    .Replace[] | select(.Old.Path | startswith("k8s.io/")) |
    "-replace=\(.Old.Path)=\(.Old.Path)@v" +
      if .Old.Path == "k8s.io/kubernetes" then $version else ($version | sub("^1"; "0")) end')
  "$go" mod edit "${edits[@]}"
}

# program FOLDER NAME PACKAGE
program() {
  CGO_ENABLED=0 GOGC=400 GOFLAGS=-mod=mod "$go" build -trimpath -gcflags=all=-dwarf=false \
    -ldflags "-s -w" -o "$1/$2" "$3"
}

build() {
  local go
  go=$("$here/../control_plane/go.sh")
  unset GOROOT  # may belong to another Go
  mkdir "$1/module" "$1/crds"
  tar -xf "$source" -C "$1/module" --strip-components=1
  cd "$1/module"
  if [ "$kind" = coscheduling ]; then
    replace_kubernetes
    cp config/crd/bases/scheduling.x-k8s.io_*.yaml "$1/crds"
    program "$1" controller ./cmd/controller
    # No other plugin: their modules need not be available.
    sed -i -E '/scheduler-plugins\/pkg\/|app\.WithPlugin/{/coscheduling[."]/!d}' \
      cmd/scheduler/main.go
  else
    cp config/crd/volcano/bases/*.yaml "$1/crds"
    program "$1" controller ./cmd/controller-manager
  fi
  program "$1" scheduler ./cmd/scheduler
  cd "$here"
  rm -rf "$1/module"
}

folder=$cache/$kind-$(cat "$here/build.sh" "$source" | sha256sum | cut -c1-16)
build_once "$kind" "$folder" "3 to 10 minutes"
