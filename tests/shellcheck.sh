#!/usr/bin/env bash
# Runs shellcheck on every shell script of the repository, found by its name or first line.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts=()
while IFS= read -r file; do
  case $file in
    *.sh) scripts+=("$file") ;;
    *) [[ $(head -c 64 "$file" | tr -d '\0' | head -n 1) =~ ^#!.*sh$ ]] && scripts+=("$file") ;;
  esac
done < <(find . -type d \( -name build -o -name .git -o -name .cache \) -prune -o -type f -print)
[ "${#scripts[@]}" -gt 0 ]
shellcheck -x "${scripts[@]}"
