#!/usr/bin/env bash
# Usage: build.sh [--flux FLUX] FOLDER IMAGE...
# Builds the images of the stories and writes each to FOLDER/IMAGE.tar (docker archive), only if the
# image has changed. IMAGE is
# - pause, application, helm-test, or flux and flux-view with the Flux in the folder FLUX (as printed
#   by tests/flux/build.sh), from the Dockerfile in this folder;
# - one of those in mpi/Dockerfile, after the images that it is made from;
# - hpcc, lammps and mpi-sum, from their folders in examples/;
# - unit-tests-SUITE: runs all unit tests on that Debian, without an archive.
# All are tagged localhost/IMAGE:e2e.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=release/buildah.sh
. "$here/../../release/buildah.sh"
top=$(cd "$here/../.." && pwd)
suite=bookworm

# wheels FILE...: prints the folder with the wheels that the files in mpi/ pin, downloaded once.
wheels() (
  cd "$here/mpi"
  folder=$images_cache/wheels-$(cat "$@" | sha256sum | cut -c1-16)
  [ -e "$folder" ] || {
    /usr/bin/python3 -m pip --version >/dev/null 2>&1 || "$top/packages.sh" --go >&2
    rm -rf "$folder.partial"
    mkdir -p "$folder.partial"
    for file in "$@"; do
      /usr/bin/python3 -m pip download --quiet --require-hashes --only-binary :all: --no-deps --no-input \
        --python-version 3.11 --dest "$folder.partial" -r "$file" >&2 </dev/null || exit
    done
    mv "$folder.partial" "$folder"
  }
  echo "$folder"
)

# mpi IMAGE FILE...
mpi() {
  local name=$1 folder
  shift
  folder=$(wheels "$@")
  image "$name:e2e" "$here/mpi" "$here/mpi/Dockerfile" --target "$name" \
    --build-context "wheels=$folder" --build-context "examples=$top/examples"
}

flux=()
if [ "${1-}" = --flux ]; then
  flux=(--build-context "real=${2:?--flux takes a folder}/opt")
  shift 2
fi
folder=${1:?usage: build.sh [--flux FLUX] FOLDER IMAGE...}
shift
mkdir -p "$folder"
lock_images
forget_old_images
base "$suite"
for name in "$@"; do
  case $name in
    unit-tests-*)
      base "${name#unit-tests-}"
      image "$name:e2e" "$top" "$top/tests/Dockerfile" --build-arg "DEBIAN=${name#unit-tests-}"
      continue
      ;;
    hpcc | lammps | mpi-sum) image "$name:e2e" "$top/examples/$name" "$top/examples/$name/Dockerfile" ;;
    openmpi-4* | mpich-4* | mpi-wheels*) mpi "$name" wheels.txt ;;
    intel-mpi*) mpi "$name" wheels.txt intel-mpi.txt ;;
    *)
      image "$name:e2e" "$top" "$here/Dockerfile" --target "$name" --build-arg "DEBIAN=$suite" "${flux[@]}"
      ;;
  esac
  archive docker-archive "$name:e2e" "$folder/$name.tar"
done
