#!/usr/bin/env bash
# Usage: build.sh
# Builds the documentation as a site in build/site, which needs no server and no other host: open
# build/site/index.html from disk. Fails on a broken link, an unknown heading, or a page outside the
# navigation (mkdocs.yml). MkDocs and its theme are installed once, pinned by hash
# (requirements.txt), into a cache outside the tree.
set -euo pipefail

cd "$(dirname "$0")/.."

# Links between pages are relative to the repository, so the site has the same folders.
source=build/site-source
rm -rf "$source"
mkdir -p "$source"
cp -r --parents README.md tests/README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs examples \
  charts/minicluster-operator/{README.md,dashboards,files} "$source"
cp site/site.css "$source"

venv=$(tests/support/python-packages.sh site site/requirements.txt)
export NO_MKDOCS_2_WARNING=1 # a notice of the theme's authors; see docs/decisions/0030-the-documentation-site.md
"$venv/bin/mkdocs" build --strict
echo "build/site/index.html"
