#!/usr/bin/env bash
# Usage: artifacts.sh FOLDER [SOURCE]
# Builds the artifacts of a release in FOLDER, from the tree SOURCE (default: this one). VERSION is
# the one in its CMakeLists.txt:
#   minicluster-webhook-VERSION.oci.tar, minicluster-controller-VERSION.oci.tar   images (OCI archives)
#   minicluster-webhook-VERSION-linux-ARCHITECTURE.spdx.json, and of the controller    their SBOMs (SPDX)
#   kubectl-minicluster-VERSION-linux-ARCHITECTURE.tar.gz   the kubectl plugin with its libraries and SBOM
#   minicluster-operator-VERSION.tgz          the chart
#   minicluster-operator-VERSION-crds.yaml    every CustomResourceDefinition
#   NOTES.md                                  its section of CHANGELOG.md
#   SHA256SUMS
# ARCHITECTURES (default: this system's) are those of the images and of the plugin, for example
# "amd64 arm64"; with several, each archive has an image index. REVISION sets the revision of the tree in
# the images' labels. Needs root, as image builds do.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=release/buildah.sh
. "$here/buildah.sh"

folder=${1:?usage: artifacts.sh FOLDER [SOURCE]}
source=$(cd "${2:-$here/..}" && pwd)
revision=${REVISION:-$(git -C "$source" rev-parse HEAD)}
version=$("$here/version.sh" "$source")
read -ra architectures <<<"${ARCHITECTURES:-$(dpkg --print-architecture)}"

images() {
  local name architecture file tags
  for name in minicluster-webhook minicluster-controller; do
    tags=()
    for architecture in "${architectures[@]}"; do
      program_image "$name" "$architecture" "$source" "$version" "$revision"
      tags+=("$name:$version-$architecture")
      # The SBOM is a file of the image.
      file=$folder/$name-$version-linux-$architecture.spdx.json
      in_root "$name:$version-$architecture" "$architecture" cp "usr/share/sbom/$name.spdx.json" "$file"
    done
    archive oci-archive "$name:$version" "$folder/$name-$version.oci.tar" "${tags[@]}"
  done
}

# The kubectl plugin, made as an image is; only its archive is published. A tree of an earlier version
# may have none.
plugin() {
  local architecture name=kubectl-minicluster
  [ -f "$source/Dockerfile.plugin" ] || return 0
  for architecture in "${architectures[@]}"; do
    program_image "$name" "$architecture" "$source" "$version" "$revision"
    in_root "$name:$version-$architecture" "$architecture" \
      "$here/plugin.sh" . "$folder/$name-$version-linux-$architecture.tar.gz"
  done
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
"$here/sums.sh" "$folder" "$version"
