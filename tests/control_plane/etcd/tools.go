//go:build tools

// Package tools pins the etcd that the tests and the demo run.
package tools

import _ "go.etcd.io/etcd/server/v3"
