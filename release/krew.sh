#!/usr/bin/env bash
# Usage: krew.sh FOLDER URL
# Prints the manifest with which krew installs the kubectl plugin from its archives in FOLDER, which
# are published below URL.
set -euo pipefail
folder=${1:?usage: krew.sh FOLDER URL} url=${2:?usage: krew.sh FOLDER URL}
version=$("$(dirname "$0")/version.sh")
cat <<END
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: minicluster
spec:
  version: v$version
  homepage: ${url%/releases/*}
  shortDescription: Run and follow Flux MiniClusters
  description: |
    Runs commands in Flux clusters on Kubernetes, follows and explains MiniClusters, and asks Flux in
    their pods. It needs the MiniCluster operator in the cluster.
  platforms:
END
for archive in "$folder/kubectl-minicluster-$version-linux-"*.tar.gz; do
  architecture=${archive##*-linux-}
  cat <<END
  - selector: {matchLabels: {os: linux, arch: ${architecture%.tar.gz}}}
    uri: $url/${archive##*/}
    sha256: $(sha256sum <"$archive" | cut -c1-64)
    bin: bin/kubectl-minicluster
END
done
