//go:build tools

// Package tools pins prometheus-adapter, for the story of autoscaling.
package tools

import _ "sigs.k8s.io/prometheus-adapter/cmd/adapter"
