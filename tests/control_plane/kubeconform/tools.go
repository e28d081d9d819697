//go:build tools

// Package tools pins kubeconform, which checks what the chart renders.
package tools

import _ "github.com/yannh/kubeconform/cmd/kubeconform"
