#!/usr/bin/env bash
# Usage: image.sh PROGRAM FOLDER [ARCHITECTURE]
# Builds the target PROGRAM as released, for ARCHITECTURE (default: this system's), and in FOLDER the
# root of an image that runs it (image-root.sh).
set -euo pipefail
program=${1:?usage: image.sh PROGRAM FOLDER [ARCHITECTURE]} folder=${2:?usage: image.sh PROGRAM FOLDER [ARCHITECTURE]}
preset=release
case ${3-} in
  '' | "$(dpkg --print-architecture)") ;;
  *) preset+=-$3 ;;
esac
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target "$program"
"$(dirname "$0")/image-root.sh" "build/$preset/bin/$program" "$folder"
