#!/usr/bin/env bash
# Usage: manifest.sh [HELM OPTION...]
# Prints everything that the chart installs as one manifest for `kubectl apply --server-side`, with the
# namespace minicluster-system before it. The options are those of `helm template`, as
# `--set image.registry=REGISTRY` or `--values FILE`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
helm=$("$here/../tests/control_plane/build.sh" helm)
namespace=minicluster-system

cat <<END
apiVersion: v1
kind: Namespace
metadata:
  name: $namespace
END
# Helm does not manage what kubectl applies.
"$helm" template minicluster-operator "$here/../charts/minicluster-operator" --namespace "$namespace" --skip-tests "$@" |
  sed '/^ *app\.kubernetes\.io\/managed-by: Helm$/d'
