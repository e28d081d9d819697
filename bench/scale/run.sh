#!/usr/bin/env bash
# Usage: run.sh COMMAND...
# Builds minicluster-controller as released and measures its queue beside a real Kueue
# (bench/scale/main.cpp has the COMMANDs) on control planes that it starts on loopback.
# MINICLUSTER_KUEUE_SOURCE names the folder with Kueue's source (tests/kueue/build.sh).
set -euo pipefail
cd "$(dirname "$0")/../.."

kueue=$(tests/kueue/build.sh)
tests/control_plane/build.sh control-plane >/dev/null
cmake --preset release >/dev/null
cmake --build --preset release --target minicluster-controller bench_scale >/dev/null
export MINICLUSTER_TEST_AUDIT=none
# What the image sets.
environment=$(sed -n 's/^ENV \(GLIBC_TUNABLES=\)/\1/p' Dockerfile.controller)
env ${environment:+"$environment"} build/release/bin/bench_scale build/release/bin/minicluster-controller \
  "$kueue" "$@"
