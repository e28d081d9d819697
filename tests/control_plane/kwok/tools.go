//go:build tools

// Package tools pins kwok, which simulates the nodes of the tests.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
