#!/usr/bin/env bash
# Usage: build.sh [--flux FLUX] FOLDER IMAGE...
# Builds images and leaves each as FOLDER/IMAGE.tar (docker archive), which is made anew only when
# the image has changed. IMAGE is minicluster-webhook or minicluster-controller, from the
# Dockerfile of that name at the top of the repository; pause, application, flux, flux-view or
# helm-test, from the Dockerfile beside this script, with the Flux of the folder FLUX (what
# tests/flux/build.sh prints) or else the stand-in; or unit-tests-SUITE: all unit tests, run on that
# Debian (no archive is made). All are tagged localhost/IMAGE:e2e. Debian's own images are made with
# debootstrap, once. What is built is kept in a cache outside the tree.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
mirror=${MINICLUSTER_DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=bookworm
export BUILDAH_ISOLATION=chroot  # builds where there is no systemd, and on the network that is here

run_buildah() {
  buildah --storage-driver overlay --root "$cache/containers" --runroot "$cache/containers/run" "$@"
}

# base SUITE: docker.io/library/debian:SUITE-slim, the name that the Dockerfiles start from.
base() {
  local name=docker.io/library/debian:$1-slim root container
  [ -z "$(run_buildah images --quiet "$name" 2>/dev/null)" ] || return 0
  echo "making a Debian $1 (once; a minute) ..." >&2
  root=$(mktemp -d)
  debootstrap --variant=minbase "$1" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    return 1
  }
  find "$root/var/cache/apt/archives" -name '*.deb' -delete
  container=$(run_buildah from scratch)
  tar -C "$root" --exclude './dev/*' -cf "$root.tar" .  # from a folder all would become root's
  run_buildah add --quiet "$container" "$root.tar" /
  run_buildah config --cmd /bin/bash "$container"
  run_buildah commit --quiet --rm "$container" "$name" >/dev/null
  rm -rf "$root" "$root.tar" "$root.log"
}

# image NAME DOCKERFILE ARGUMENT...
image() {
  local name=$1 file=$2 log
  shift 2
  log=$(mktemp)
  run_buildah bud --layers --file "$file" --tag "localhost/$name:e2e" "$@" "$here/../.." \
    >"$log" 2>&1 </dev/null 9>&- || {  # what a step leaves running must not hold the lock
    tail -n 60 "$log" >&2
    echo "build.sh: the image $name cannot be built; above is the end of what it said" >&2
    rm -f "$log"
    return 1
  }
  rm -f "$log"
}

# archive NAME
archive() {
  local id
  id=$(run_buildah inspect --type image --format '{{.FromImageID}}' "localhost/$1:e2e")
  [ ! -e "$folder/$1.tar" ] || [ "$(cat "$folder/$1.id" 2>/dev/null)" != "$id" ] || return 0
  rm -f "$folder/$1.tar"
  run_buildah push --quiet "localhost/$1:e2e" \
    "docker-archive:$folder/$1.tar:localhost/$1:e2e" >/dev/null
  echo "$id" >"$folder/$1.id"
}

flux=(--build-arg FLUX=stand-in)
if [ "${1-}" = --flux ]; then
  flux=(--build-arg FLUX=real --build-context "real=${2:?--flux takes a folder}/opt")
  shift 2
fi
folder=${1:?usage: build.sh [--flux FLUX] FOLDER IMAGE...}
shift
mkdir -p "$folder"
exec 9>"$cache/containers.lock"
flock 9
base "$suite"
for name in "$@"; do
  case $name in
    minicluster-*)
      image "$name" "$here/../../Dockerfile.${name#minicluster-}" --build-arg "DEBIAN=$suite" \
        --build-arg "REVISION=$(git -C "$here" rev-parse HEAD)" \
        --build-arg "VERSION=$(sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' \
          "$here/../../CMakeLists.txt")"
      archive "$name"
      ;;
    unit-tests-*)
      base "${name#unit-tests-}"
      image "$name" "$here/../../tests/Dockerfile" --build-arg "DEBIAN=${name#unit-tests-}"
      ;;
    *)
      image "$name" "$here/Dockerfile" --target "$name" --build-arg "DEBIAN=$suite" "${flux[@]}"
      archive "$name"
      ;;
  esac
done
