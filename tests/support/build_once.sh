# Builds of programs from source that are kept outside the tree.
# shellcheck shell=bash

# build_once NAME FOLDER EXPECTED: prints FOLDER. If it does not exist, `build PARTIAL`, a function of
# the caller that fails at its first error, fills a new folder PARTIAL, which then becomes FOLDER.
# NAME is for messages and for the lock beside FOLDER, EXPECTED says how long it takes.
build_once() {
  local name=$1 folder=$2 expected=$3 partial=$2.partial status
  mkdir -p "${folder%/*}"
  (
    flock --nonblock 9 || {
      echo "waiting for a build of $name ..." >&2
      flock 9
    }
    [ ! -e "$folder" ] || exit 0
    echo "building $name from source (once; $expected) ..." >&2
    rm -rf "$partial"
    mkdir "$partial"
    set +e  # in a condition, as before ||, bash would go on after an error within the build
    (set -e && build "$partial") >"$partial/log" 2>&1 </dev/null
    status=$?
    set -e
    [ "$status" = 0 ] || {
      tail -n 40 "$partial/log" >&2
      echo "build.sh: $name cannot be built; above is the end of $partial/log" >&2
      exit 1
    }
    mv "$partial" "$folder"
  ) 9>"${folder%/*}/$name.lock"
  echo "$folder"
}
