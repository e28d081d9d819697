#!/usr/bin/env bash
# Usage: version.sh [SOURCE]
# Prints the version in the CMakeLists.txt of the tree SOURCE (default: this one).
set -euo pipefail
source=${1:-$(dirname "$0")/..}
sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt"
