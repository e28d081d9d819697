#!/usr/bin/env bash
# Usage: python-packages.sh NAME REQUIREMENTS
# Prints the folder of a Python environment with the packages of the file REQUIREMENTS, installed
# once, verified by hash, and kept in a cache outside the tree as NAME-KEY.
set -euo pipefail

name=$1 requirements=$2
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
folder=$cache/$name-$({ python3 --version && cat "$requirements"; } | sha256sum | cut -c1-16)
mkdir -p "$folder"
(
  flock 9
  [ -e "$folder/complete" ] || {
    echo "installing $name's Python packages (once) ..." >&2
    python3 -m venv --clear "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
      --requirement "$requirements" >&2
    touch "$folder/complete"
  }
) 9>"$folder/.lock"
echo "$folder/venv"
