#!/usr/bin/env bash
# Usage: next.sh VERSION
# Sets the version of the tree to VERSION, in every file that names it: CMakeLists.txt, the chart,
# the docs. With a new minor version, the current version becomes the one that the stories upgrade
# from (`release/previous`).
set -euo pipefail
cd "$(dirname "$0")/.."
next=${1:?usage: next.sh VERSION}
now=$(release/version.sh)
[[ $next =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || {
  echo "next.sh: $next is no MAJOR.MINOR.PATCH" >&2
  exit 2
}
[ "${next%.*}" = "${now%.*}" ] || echo "$now $(git rev-parse HEAD)" >release/previous
sed -i "/^project(/s/ VERSION $now / VERSION $next /" CMakeLists.txt
sed -i -E "s/^(version|appVersion): $now\$/\1: $next/" charts/minicluster-operator/Chart.yaml
grep -rlF -- "$now" docs/*.md | while IFS= read -r page; do
  sed -i -E "s/(minicluster-[a-z]+[:-]|minicluster-\\\$name:|VERSION=)${now//./\\.}/\1$next/g" "$page"
done
git diff --stat
