#!/usr/bin/env bash
# Usage: tidy.sh REGEX | --changed [PARENT]
# Runs clang-tidy (tests/tidy/requirements.txt) on the sources whose path matches REGEX, or on those
# that differ from the revision PARENT (default: main, or the previous commit if HEAD is main). For a
# changed header, it checks the source of the same name. Fails on any finding.
set -euo pipefail
cd "$(dirname "$0")/.."

# changed PARENT: the changed sources, one per line.
changed() {
  local base file
  base=$(git merge-base HEAD "$1")
  git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.h' | while IFS= read -r file; do
    [[ $file != *.h ]] || file=${file%.h}.cpp
    [ ! -e "$file" ] || echo "$file"
  done | sort -u
}

parent() {
  if [ "$(git rev-parse HEAD)" != "$(git rev-parse --verify --quiet main || git rev-parse HEAD)" ]; then
    echo main
  else
    echo HEAD~1
  fi
}

files=()
case ${1:?usage: tidy.sh REGEX | --changed [PARENT]} in
  --changed)
    mapfile -t files < <(changed "${2:-$(parent)}")
    [ "${#files[@]}" -gt 0 ] || {
      echo "no source differs"
      exit
    }
    printf '%s\n' "${files[@]}"
    files=("${files[@]/#/$PWD/}")
    files=("${files[@]/%/\$}")
    ;;
  *) files=("$1") ;;
esac
echo "checking with clang-tidy (minutes) ..."
cmake --preset tidy >/dev/null
venv=$(tests/support/python-packages.sh clang-tidy tests/tidy/requirements.txt)
"$venv/bin/run-clang-tidy.py" -clang-tidy-binary "$venv/bin/clang-tidy" -quiet -p build/tidy \
  -extra-arg=-Wno-error "${files[@]}" 2>/dev/null
