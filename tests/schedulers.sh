#!/usr/bin/env bash
# Usage: tests/schedulers.sh
# Runs the stories about gang scheduling (suites Gang* of test_integration) on a control plane of
# Kubernetes 1.37 with the feature gates that they need. The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."
unset KUBEBUILDER_ASSETS  # it holds programs of one version

export MINICLUSTER_KUBERNETES=1.37
export MINICLUSTER_TEST_FEATURE_GATES=GenericWorkload=true,TopologyAwareWorkloadScheduling=true
export MINICLUSTER_TEST_RUNTIME_CONFIG=scheduling.k8s.io/v1beta1=true
GTEST_FILTER=${GTEST_FILTER-Gang*} tests/run.sh --stories '^integration$'
