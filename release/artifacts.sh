#!/usr/bin/env bash
# Usage: artifacts.sh FOLDER [SOURCE]
# Builds the artifacts of a release in FOLDER, from the tree SOURCE (default: this one). VERSION is
# the one in its CMakeLists.txt:
#   minicluster-webhook-VERSION.oci.tar, minicluster-controller-VERSION.oci.tar   images (OCI archives)
#   minicluster-webhook-VERSION.spdx.json, minicluster-controller-VERSION.spdx.json   their SBOMs (SPDX)
#   kubectl-minicluster-VERSION-linux-ARCHITECTURE.tar.gz   the kubectl plugin with its libraries and SBOM
#   minicluster-operator-VERSION.tgz          the chart
#   minicluster-operator-VERSION-crds.yaml    every CustomResourceDefinition
#   NOTES.md                                  its section of CHANGELOG.md
#   SHA256SUMS
# Needs root, as image builds do. REVISION sets the revision of the tree in the images' labels.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=release/buildah.sh
. "$here/buildah.sh"

folder=${1:?usage: artifacts.sh FOLDER [SOURCE]}
source=$(cd "${2:-$here/..}" && pwd)
revision=${REVISION:-$(git -C "$source" rev-parse HEAD)}
version=$("$here/version.sh" "$source")
suite=bookworm

# The SBOM is a file of the image, so it is read from the root of a container.
sbom() {
  local container root
  container=$(run_buildah from "localhost/$1:$version")
  root=$(run_buildah mount "$container")
  cp "$root/usr/share/sbom/$1.spdx.json" "$folder/$1-$version.spdx.json"
  run_buildah rm "$container" >/dev/null
}

# The libraries in the images are Debian's of today: neither the base nor a layer of an earlier build
# may be older than a day.
images() {
  local name
  base "$suite" $((24 * 60 * 60))
  for name in minicluster-webhook minicluster-controller; do
    image "$name:$version" "$source" "$source/Dockerfile.${name#minicluster-}" \
      --cache-ttl 24h --build-arg "DEBIAN=$suite" --build-arg "REVISION=$revision" \
      --build-arg "VERSION=$version"
    archive oci-archive "$name:$version" "$folder/$name-$version.oci.tar"
    sbom "$name"
  done
}

# The kubectl plugin, made as an image is; only its archive is published. A tree of an earlier version
# may have none.
plugin() {
  local container root name=kubectl-minicluster
  [ -f "$source/Dockerfile.plugin" ] || return 0
  image "$name:$version" "$source" "$source/Dockerfile.plugin" \
    --cache-ttl 24h --build-arg "DEBIAN=$suite" --build-arg "REVISION=$revision" --build-arg "VERSION=$version"
  container=$(run_buildah from "localhost/$name:$version")
  root=$(run_buildah mount "$container")
  "$here/plugin.sh" "$root" "$folder/$name-$version-linux-$(dpkg --print-architecture).tar.gz"
  run_buildah rm "$container" >/dev/null
}

# With the headlines of the changelog for Artifact Hub, as one more of the annotations, with which
# Chart.yaml ends.
chart() {
  local helm copy
  helm=$("$here/../tests/control_plane/build.sh" helm)
  copy=$(mktemp -d)
  cp -r "$source/charts/minicluster-operator" "$copy"
  sed -n 's/^- \*\*\([^*]*\)\*\*.*/\1/p' "$folder/NOTES.md" | jq -R . |
    sed -e '1i\  artifacthub.io/changes: |' -e 's/^/    - /' >>"$copy/minicluster-operator/Chart.yaml"
  "$helm" package "$copy/minicluster-operator" --version "$version" --app-version "$version" \
    --destination "$folder" >/dev/null
  rm -r "$copy"
}

# The changelog's section for this version.
notes() {
  awk -v heading="## $version" '
    /^## / { inside = (index($0, heading " ") == 1 || $0 == heading) }
    inside
  ' "$source/CHANGELOG.md" >"$folder/NOTES.md"
  [ -s "$folder/NOTES.md" ] || {
    echo "artifacts.sh: CHANGELOG.md says nothing of $version" >&2
    return 1
  }
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
lock_images
forget_old_images
images
plugin
notes
chart
awk 'FNR == 1 && NR > 1 { print "---" } { print }' "$source"/crds/*.yaml \
  >"$folder/minicluster-operator-$version-crds.yaml"
cd "$folder"
shopt -s nullglob
sha256sum -- *"$version"*.tar *"$version"*.tar.gz *"$version"*.json *"$version"*.tgz *"$version"*.yaml NOTES.md >SHA256SUMS
