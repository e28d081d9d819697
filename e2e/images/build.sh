#!/usr/bin/env bash
# Usage: build.sh [--flux FLUX] FOLDER IMAGE...
# Builds the images of the stories and leaves each as FOLDER/IMAGE.tar (docker archive), which is made anew
# only when the image has changed. IMAGE is pause, application, flux, flux-view or helm-test, from the
# Dockerfile beside this script, with the Flux of the folder FLUX (what tests/flux/build.sh prints) or else
# the stand-in; or unit-tests-SUITE: all unit tests, run on that Debian (no archive is made). All are
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
    *)
      image "$name:e2e" "$top" "$here/Dockerfile" --target "$name" --build-arg "DEBIAN=$suite" "${flux[@]}"
      archive docker-archive "$name:e2e" "$folder/$name.tar"
      ;;
  esac
done
