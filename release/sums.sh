#!/usr/bin/env bash
# Usage: sums.sh FOLDER VERSION
# Writes FOLDER/SHA256SUMS of everything in FOLDER that is published as VERSION.
set -euo pipefail
shopt -s nullglob
version=${2:?usage: sums.sh FOLDER VERSION}
cd "$1"
sha256sum -- *"$version"*.tar *"$version"*.tar.gz *"$version"*.json *"$version"*.tgz *"$version"*.yaml \
  minicluster.yam[l] icon.sv[g] NOTES.md >SHA256SUMS
