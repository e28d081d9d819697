//go:build tools

// Package tools pins the Helm 4 with which the tests upgrade the chart.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
