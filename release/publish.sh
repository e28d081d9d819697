#!/usr/bin/env bash
# Usage: publish.sh FOLDER REGISTRY URL
# Publishes what artifacts.sh has written to FOLDER for several ARCHITECTURES, to REGISTRY (a host and a
# path, taken in lower case) as
#   minicluster-webhook, minicluster-controller   the images, pushed by digest
#   charts/minicluster-operator                   the chart, packaged again by chart-addresses.sh
# and signs each by its digest with cosign. Each has a provenance (provenance.sh) as an attestation, and
# the image for each architecture its SBOM. The images get their tag at the end, so that no tag refers to
# something unsigned. FOLDER also gets
#   minicluster-operator-VERSION.yaml   the chart's objects for kubectl, with the images by digest
#   minicluster.yaml                    krew's manifest, with archives below URL
#   DIGESTS                             a line NAME@DIGEST for each that was pushed
# and SHA256SUMS is made anew. cosign signs as the identity of the running job (keyless), or with the key in
# COSIGN_KEY, and then without a public log. Credentials of REGISTRY are in config.json in DOCKER_CONFIG. A
# registry on 127.0.0.1 is spoken to without TLS.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:?usage: publish.sh FOLDER REGISTRY URL}" && pwd)
registry=${2:?usage: publish.sh FOLDER REGISTRY URL} url=${3:?usage: publish.sh FOLDER REGISTRY URL}
registry=${registry,,}
version=$("$here/version.sh")
cosign=$("$here/cosign.sh")
helm=$("$here/../tests/control_plane/build.sh" helm)
export DOCKER_CONFIG=${DOCKER_CONFIG:-$HOME/.docker}
# For skopeo and Helm; cosign knows DOCKER_CONFIG.
export REGISTRY_AUTH_FILE=$DOCKER_CONFIG/config.json HELM_REGISTRY_CONFIG=$DOCKER_CONFIG/config.json
signer=(--yes)
[ -z "${COSIGN_KEY-}" ] || signer+=(--key "$COSIGN_KEY" --tlog-upload=false)
verify=true plain=()
[[ $registry != 127.0.0.1:* ]] || verify=false plain=(--plain-http)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# sign REFERENCE: with the provenance.
sign() {
  "$cosign" sign "${signer[@]}" "$1"
  "$cosign" attest "${signer[@]}" --type slsaprovenance1 --predicate "$work/provenance" "$1"
  echo "$1" >>"$folder/DIGESTS"
}

# image NAME
image() {
  local name=$1 archive=$folder/$1-$version.oci.tar digest architecture
  digest=$(tar -xOf "$archive" index.json | jq -r '.manifests[0].digest')
  skopeo copy --quiet --all --preserve-digests --dest-tls-verify="$verify" \
    "oci-archive:$archive" "docker://$registry/$name@$digest"
  sign "$registry/$name@$digest"
  tar -xOf "$archive" "blobs/${digest/://}" >"$work/index"
  jq -r '.manifests[] | "\(.digest) \(.platform.architecture)"' "$work/index" >"$work/manifests"
  while read -r digest architecture; do
    "$cosign" attest "${signer[@]}" --type spdxjson \
      --predicate "$folder/$name-$version-linux-$architecture.spdx.json" "$registry/$name@$digest" </dev/null
  done <"$work/manifests"
}

# tag NAME
tag() {
  local reference
  reference=$(grep "/$1@" "$folder/DIGESTS")
  skopeo copy --quiet --all --preserve-digests --src-tls-verify="$verify" --dest-tls-verify="$verify" \
    "docker://$reference" "docker://$registry/$1:$version"
}

digest_of() { sed -n "s|.*/$1@||p" "$folder/DIGESTS"; }

chart() {
  local digest
  "$here/chart-addresses.sh" "$folder" "$registry" "$url"
  "$helm" push "${plain[@]}" "$folder/minicluster-operator-$version.tgz" "oci://$registry/charts" >"$work/pushed" 2>&1 || {
    cat "$work/pushed" >&2
    return 1
  }
  digest=$(sed -n 's/^Digest: //p' "$work/pushed")
  sign "$registry/charts/minicluster-operator@$digest"
}

"$here/provenance.sh" >"$work/provenance"
: >"$folder/DIGESTS"
image minicluster-webhook
image minicluster-controller
chart
tag minicluster-webhook
tag minicluster-controller
"$here/manifest.sh" --set "image.registry=$registry" \
  --set "webhook.image.digest=$(digest_of minicluster-webhook)" \
  --set "controller.image.digest=$(digest_of minicluster-controller)" >"$folder/minicluster-operator-$version.yaml"
"$here/krew.sh" "$folder" "$url" >"$folder/minicluster.yaml"
"$here/sums.sh" "$folder" "$version"
