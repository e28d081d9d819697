#!/usr/bin/env bash
# Usage: run.sh FOLDER COMMAND...
# Builds minicluster-controller as released and measures it (bench/fleet/main.cpp has the COMMANDs)
# on control planes that it starts on loopback. Plots go to FOLDER.
set -euo pipefail
cd "$(dirname "$0")/../.."

mkdir -p "$1"
tests/control_plane/build.sh control-plane kube-scheduler kwok >/dev/null
cmake --preset release >/dev/null
cmake --build --preset release --target minicluster-controller bench_fleet >/dev/null
# What the image sets.
environment=$(sed -n 's/^ENV \(GLIBC_TUNABLES=\)/\1/p' Dockerfile.controller)
env ${environment:+"$environment"} build/release/bin/bench_fleet build/release/bin/minicluster-controller "$@"
