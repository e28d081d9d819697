#!/usr/bin/env bash
# Usage: chart-addresses.sh FOLDER REGISTRY URL
# Packages the chart in FOLDER again, with what is known only when it is published: its sources, its icon,
# its documentation, and its images by digest, for Artifact Hub. URL is where the files of the release will
# be; the sources are what is before /releases/ in it. FOLDER/DIGESTS has the images. Also writes
# FOLDER/icon.svg, a file of the release.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:?usage: chart-addresses.sh FOLDER REGISTRY URL}" && pwd)
registry=${2:?usage: chart-addresses.sh FOLDER REGISTRY URL} url=${3:?usage: chart-addresses.sh FOLDER REGISTRY URL}
version=$("$here/version.sh")
helm=$("$here/../tests/control_plane/build.sh" helm)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chart=$work/minicluster-operator
home=${url%/releases/*}

# The names of Artifact Hub's annotations: artifacthub.io/docs/topics/annotations/helm.
annotations() {
  local name
  echo '  artifacthub.io/links: |'
  printf '    - name: %s\n      url: %s\n' source "$home" documentation "$home/blob/v$version/README.md" \
    changes "$home/blob/v$version/CHANGELOG.md"
  echo '  artifacthub.io/images: |'
  for name in minicluster-webhook minicluster-controller; do
    printf '    - name: %s\n      image: %s\n      platforms: [linux/amd64, linux/arm64]\n' \
      "$name" "$(grep -F "$registry/$name@" "$folder/DIGESTS")"
  done
}

tar -C "$work" -xzf "$folder/minicluster-operator-$version.tgz"
annotations >"$work/annotations"
grep -q '^annotations:$' "$chart/Chart.yaml"
sed -i "/^annotations:\$/r $work/annotations" "$chart/Chart.yaml"
printf 'icon: %s\nsources: ["%s"]\n' "$url/icon.svg" "$home" >>"$chart/Chart.yaml"
"$helm" lint --quiet "$chart"
"$helm" package "$chart" --destination "$folder" >/dev/null
cp "$here/icon.svg" "$folder/icon.svg"
