#!/usr/bin/env bash
# Usage: tag.sh TAG
# Fails unless TAG is that of the version of this tree, and CHANGELOG.md calls that version released.
set -euo pipefail
cd "$(dirname "$0")/.."
tag=${1:?usage: tag.sh TAG}
version=$(release/version.sh)
[ "$tag" = "v$version" ] || {
  echo "tag.sh: the version of this tree is $version, so its tag is v$version and not $tag" >&2
  exit 1
}
grep -qxF "## $version" CHANGELOG.md || {
  echo "tag.sh: CHANGELOG.md has no heading \"## $version\"" >&2
  exit 1
}
