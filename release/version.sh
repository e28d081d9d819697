#!/usr/bin/env bash
# Usage: version.sh [SOURCE]
# Prints the version of the tree SOURCE, else of this one: what its CMakeLists.txt says.
set -euo pipefail
source=${1:-$(dirname "$0")/..}
sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt"
