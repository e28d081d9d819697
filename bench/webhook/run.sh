#!/usr/bin/env bash
# Usage: run.sh [REQUESTS]
# Compares minicluster-webhook, as released, with a webhook on controller-runtime (reference/), on
# this machine at the same time: CPU time for each request, requests a second, latency, memory and
# start. REQUESTS (100,000) are sent to each before its memory is read; 0: only the CPU time of the
# short reviews is measured. Listens on loopback only. The plot is build/bench/webhook.svg.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --preset release >/dev/null
cmake --build --preset release --target minicluster-webhook bench_webhook >/dev/null
built=$PWD/build/release
mkdir -p build/bench
reference=$(bench/webhook/build-reference.sh)
certs/dev-certificates.sh "$work" 127.0.0.1 >/dev/null
# What the image sets. A Go program does not read it.
environment=$(sed -n 's/^ENV \(GLIBC_TUNABLES=\)/\1/p' Dockerfile.webhook)
env "$environment" "$built/bin/bench_webhook" "$built/bin/minicluster-webhook" \
  "$reference" "$work" build/bench "$@"
