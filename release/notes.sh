#!/usr/bin/env bash
# Usage: notes.sh FOLDER TAG
# Creates the release of TAG with gh: its text is NOTES.md, its files are those in SHA256SUMS and the
# names of what publish.sh has pushed.
set -euo pipefail
cd "${1:?usage: notes.sh FOLDER TAG}"
tag=${2:?usage: notes.sh FOLDER TAG}
mapfile -t files < <(sed 's/^[0-9a-f]*  //' SHA256SUMS | grep -vxF NOTES.md)
gh release create "$tag" --repo "${GITHUB_REPOSITORY:?}" --verify-tag --title "$tag" --notes-file NOTES.md \
  "${files[@]}" SHA256SUMS DIGESTS
