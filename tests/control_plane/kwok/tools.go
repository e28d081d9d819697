//go:build tools

// Package tools pins kwok, which plays the nodes that the tests schedule pods on.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
