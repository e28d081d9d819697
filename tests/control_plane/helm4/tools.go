//go:build tools

// Package tools pins the Helm 4 that the tests upgrade the chart with.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
