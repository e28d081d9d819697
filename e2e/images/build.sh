#!/usr/bin/env bash
# Usage: build.sh [--flux FLUX] FOLDER IMAGE...
# Builds the images of the stories and writes each to FOLDER/IMAGE.tar (docker archive), only if the
# image has changed. IMAGE is mpi-sum, from examples/mpi-sum; pause, application, flux, flux-view or
# helm-test, from the Dockerfile in this folder, with the Flux in the folder FLUX (as printed by tests/flux/build.sh; default: the
# stand-in); or unit-tests-SUITE: runs all unit tests on that Debian, without an archive. All are
# tagged localhost/IMAGE:e2e.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=release/buildah.sh
. "$here/../../release/buildah.sh"
top=$here/../..
suite=bookworm

flux=(--build-arg FLUX=stand-in)
if [ "${1-}" = --flux ]; then
  flux=(--build-arg FLUX=real --build-context "real=${2:?--flux takes a folder}/opt")
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
      ;;
    mpi-sum)
      image "$name:e2e" "$top/examples/mpi-sum" "$top/examples/mpi-sum/Dockerfile"
      archive docker-archive "$name:e2e" "$folder/$name.tar"
      ;;
    *)
      image "$name:e2e" "$top" "$here/Dockerfile" --target "$name" --build-arg "DEBIAN=$suite" "${flux[@]}"
      archive docker-archive "$name:e2e" "$folder/$name.tar"
      ;;
  esac
done
