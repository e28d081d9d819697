//go:build tools

// Package tools pins CoreDNS, the cluster's DNS of the tests on a real node.
package tools

import _ "github.com/coredns/coredns"
