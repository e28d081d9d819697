#!/usr/bin/env bash
# Usage: dry-run.sh FOLDER
# Publishes what artifacts.sh has written to FOLDER (ARCHITECTURES="amd64 arm64") to a registry on loopback
# that ends with this script, signed with a key of its own, and checks what a user would get from there.
# FOLDER itself stays as it is. The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/checks.sh
. tests/support/checks.sh
# shellcheck source=tests/support/processes.sh
. tests/support/processes.sh

source=$(cd "${1:?usage: dry-run.sh FOLDER}" && pwd)
dir=$(mktemp -d)
folder=$dir/artifacts
version=$(release/version.sh)

finish() {
  local status=$?
  trap '' INT TERM HUP
  stop registry
  rm -rf "$dir"
  conclude "$status" || exit 1
}

start_registry() {
  port=$(free_port)
  jq -n --arg root "$dir/registry" --arg address "127.0.0.1:$port" \
    '{version: "0.1", storage: {filesystem: {rootdirectory: $root}}, http: {addr: $address}}' >"$dir/registry.yaml"
  start registry docker-registry serve "$dir/registry.yaml"
}
registry_ready() {
  ! running registry || curl -sf --noproxy '*' -m 2 -o /dev/null "http://127.0.0.1:$port/v2/"
}

# What GitHub sets for a job.
publish() {
  GITHUB_SERVER_URL=https://git.example.org GITHUB_REPOSITORY=hpc/operator GITHUB_REPOSITORY_ID=1 \
    GITHUB_REPOSITORY_OWNER_ID=2 GITHUB_REF="refs/tags/v$version" GITHUB_SHA="$(git rev-parse HEAD)" \
    GITHUB_WORKFLOW_REF="hpc/operator/.github/workflows/release.yaml@refs/tags/v$version" GITHUB_EVENT_NAME=push \
    GITHUB_RUN_ID=3 GITHUB_RUN_ATTEMPT=1 RUNNER_ENVIRONMENT=github-hosted COSIGN_KEY=$dir/key.key \
    release/publish.sh "$folder" "$registry" "https://git.example.org/hpc/operator/releases/download/v$version"
}

digest_of() { sed -n "s|.*/$1@||p" "$folder/DIGESTS"; }
pulled() { skopeo copy --quiet --all --preserve-digests --src-tls-verify=false "docker://$registry/$1:$version" "oci:$dir/pulled:$1"; }
blob() { cat "$dir/pulled/blobs/${1/://}"; }

# The tag is an index with both architectures, each with a program for it.
image_is_for_both() {
  local digest config
  pulled "$1"
  digest=$(jq -r --arg name "$1" '.manifests[] | select(.annotations["org.opencontainers.image.ref.name"] == $name).digest' \
    "$dir/pulled/index.json")
  [ "$digest" = "$(digest_of "$1")" ]
  for architecture in amd64 arm64; do
    digest=$(digest_for "$1" "$architecture")
    config=$(blob "$digest" | jq -r .config.digest)
    [ "$(blob "$config" | jq -r .architecture)" = "$architecture" ]
    machine_in "$digest" "$1" | grep -q "${machines[$architecture]}"
  done
}
declare -A machines=([amd64]=X86-64 [arm64]=AArch64)
digest_for() {
  blob "$(digest_of "$1")" |
    jq -r --arg architecture "$2" '.manifests[] | select(.platform.architecture == $architecture).digest'
}
# machine_in MANIFEST PROGRAM
machine_in() {
  local layer
  for layer in $(blob "$1" | jq -r '.layers[].digest'); do
    blob "$layer" | tar -xzO "$2" 2>/dev/null >"$dir/program" || continue
    readelf --file-header "$dir/program"
  done
}

verified() { "$cosign" verify --key "$dir/$1.pub" --insecure-ignore-tlog "$2"; }
refused() { ! verified "$@"; }
# attested TYPE REFERENCE FILTER
attested() {
  "$cosign" verify-attestation --key "$dir/key.pub" --insecure-ignore-tlog --type "$1" "$2" 2>/dev/null |
    jq -r .payload | base64 -d >"$dir/statement"
  jq -e --arg digest "${2##*@sha256:}" --arg sha "$(git rev-parse HEAD)" --arg version "$version" \
    "(.subject[0].digest.sha256 == \$digest) and ($3)" "$dir/statement"
}
image_is_signed() { verified key "$registry/$1@$(digest_of "$1")"; }
# shellcheck disable=SC2016 # variables of jq
image_has_provenance() {
  attested slsaprovenance1 "$registry/$1@$(digest_of "$1")" '.predicate.buildDefinition as $d |
    $d.resolvedDependencies[0].digest.gitCommit == $sha and
    $d.externalParameters.workflow.path == ".github/workflows/release.yaml"'
}
image_has_sboms() {
  for architecture in amd64 arm64; do
    attested spdxjson "$registry/$1@$(digest_for "$1" "$architecture")" ".predicate.packages[0].versionInfo == \$version and
      any(.predicate.packages[].externalRefs[]?.referenceLocator; test(\"libssl3.*arch=$architecture\"))"
  done
}

chart_is_the_packaged_one() {
  "$helm" pull --plain-http "oci://$registry/charts/minicluster-operator" --version "$version" --destination "$dir"
  cmp "$dir/minicluster-operator-$version.tgz" "$folder/minicluster-operator-$version.tgz"
}
# For Artifact Hub.
chart_says_where_everything_is() {
  local shown name
  shown=$("$helm" show chart "$folder/minicluster-operator-$version.tgz")
  grep -Fx "icon: https://git.example.org/hpc/operator/releases/download/v$version/icon.svg" <<<"$shown"
  grep -A 1 '^sources:' <<<"$shown" | grep -Fx -e '- https://git.example.org/hpc/operator'
  grep -F "url: https://git.example.org/hpc/operator/blob/v$version/README.md" <<<"$shown"
  for name in minicluster-webhook minicluster-controller; do
    grep -F "image: $registry/$name@$(digest_of "$name")" <<<"$shown"
  done
  python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$folder/icon.svg"
}
manifest_has_the_digests() {
  local name
  for name in minicluster-webhook minicluster-controller; do
    grep -F "image: \"$registry/$name@$(digest_of "$name")\"" "$folder/minicluster-operator-$version.yaml"
  done
}
sums_are_right() { (cd "$folder" && sha256sum --check --quiet SHA256SUMS && [ -s NOTES.md ]); }
krew_has_both() {
  local architecture archive
  for architecture in amd64 arm64; do
    archive=kubectl-minicluster-$version-linux-$architecture.tar.gz
    grep -A 1 "/download/v$version/$archive" "$folder/minicluster.yaml" | grep -F "$(sha256sum <"$folder/$archive" | cut -c1-64)"
  done
}
a_wrong_tag_is_refused() { ! release/tag.sh "v$version.1"; }

trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
./packages.sh --release
cosign=$(release/cosign.sh)
helm=$(tests/control_plane/build.sh helm)
mkdir -p "$dir"/{logs,pids,docker}
cp -r "$source" "$folder"
export DOCKER_CONFIG=$dir/docker COSIGN_PASSWORD=''
echo '{}' >"$DOCKER_CONFIG/config.json"
for key in key other; do
  "$cosign" generate-key-pair --output-key-prefix "$dir/$key" 2>"$dir/answer"
done
bring registry 100 registry_ready
registry=127.0.0.1:$port/hpc
check "everything is published" publish
for name in minicluster-webhook minicluster-controller; do
  check "$name is for amd64 and arm64, and has the digest that was pushed" image_is_for_both "$name"
  check "$name is signed" image_is_signed "$name"
  check "$name is not signed with another key" refused other "$registry/$name@$(digest_of "$name")"
  check "$name has a provenance that names the commit and the workflow" image_has_provenance "$name"
  check "$name has the SBOM of each architecture" image_has_sboms "$name"
done
check "the chart in the registry is the packaged one" chart_is_the_packaged_one
check "the chart says where its sources, its icon and its images are" chart_says_where_everything_is
check "the chart is signed" verified key "$registry/charts/minicluster-operator@$(digest_of charts/minicluster-operator)"
check "the manifest has the images by digest" manifest_has_the_digests
check "krew's manifest has both archives with their sums" krew_has_both
check "SHA256SUMS is right, and there are notes" sums_are_right
check "a tag that is not that of the version is refused" a_wrong_tag_is_refused
