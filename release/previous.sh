#!/usr/bin/env bash
# Usage: previous.sh FOLDER
# Builds the artifacts of the previous minor version in FOLDER, from its source in the history of
# this repository. `release/previous` names it as `VERSION REVISION`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: previous.sh FOLDER}
read -r version revision <"$here/previous"
git -C "$here" cat-file -e "$revision^{commit}" 2>/dev/null || {
  echo "previous.sh: version $version is revision $revision, which this clone does not have; a shallow one" \
    "gets it with: git fetch --unshallow" >&2
  exit 1
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git -C "$here/.." archive "$revision" | tar -x -C "$tree"
[ "$("$here/version.sh" "$tree")" = "$version" ] || {
  echo "previous.sh: revision $revision is not version $version" >&2
  exit 1
}
REVISION=$revision "$here/artifacts.sh" "$folder" "$tree"
