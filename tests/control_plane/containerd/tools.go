//go:build tools

// Package tools pins the containerd 2 of one of the machines of e2e/cluster.
package tools

import (
	_ "github.com/containerd/containerd/v2/cmd/containerd"
	_ "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"
)
