#!/usr/bin/env bash
# Usage: python-packages.sh NAME REQUIREMENTS...
# Prints the folder of a Python environment with the packages of the files REQUIREMENTS, installed
# once, one file after the other, verified by hash, and kept in a cache outside the tree as NAME-KEY.
# Only packages that a file names with --no-binary are built, with what the files before it have
# installed.
set -euo pipefail

name=$1
shift
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
folder=$cache/$name-$({ python3 --version && cat "$@"; } | sha256sum | cut -c1-16)
mkdir -p "$folder"
(
  flock 9
  [ -e "$folder/complete" ] || {
    echo "installing $name's Python packages (once) ..." >&2
    python3 -m venv --clear "$folder/venv"
    for requirements; do
      "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        --no-build-isolation --require-hashes --requirement "$requirements" >&2
    done
    touch "$folder/complete"
  }
) 9>"$folder/.lock"
echo "$folder/venv"
