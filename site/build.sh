#!/usr/bin/env bash
# Usage: build.sh
# Builds the pages of the repository as a site, build/site, that needs no server and no other host:
# build/site/index.html may be opened from a disk. Strict: a link that leads nowhere, a heading that
# is not there and a page outside the navigation (mkdocs.yml) fail. MkDocs and its theme are installed
# once, pinned by hash (requirements.txt), into a cache outside the tree.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}

# Links between pages are relative to the repository, so the site has its folders.
source=$root/build/site-source
rm -rf "$source"
mkdir -p "$source"
cd "$root"
cp -r --parents README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs examples \
  charts/minicluster-operator/{README.md,dashboards,files} "$source"
cp site/site.css "$source"

key=$({ python3 --version && cat "$here/requirements.txt"; } | sha256sum | cut -c1-16)
folder=$cache/site-$key
mkdir -p "$folder"
(
  flock 9
  [ -e "$folder/complete" ] || {
    echo "installing MkDocs (once) ..."
    python3 -m venv --clear "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement "$here/requirements.txt"
    touch "$folder/complete"
  }
) 9>"$folder/.lock"

export NO_MKDOCS_2_WARNING=1 # a notice of the theme's authors; docs/decisions/0030-the-docs-as-a-site.md has it
"$folder/venv/bin/mkdocs" build --strict
echo "build/site/index.html"
