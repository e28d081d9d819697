#!/usr/bin/env bash
# Usage: provenance.sh
# Prints the predicate of a SLSA provenance (v1.0) for what the running job of GitHub Actions builds, with
# the build type that SLSA's community has for such workflows. The variables are those that GitHub sets.
set -euo pipefail
: "${GITHUB_SERVER_URL:?}" "${GITHUB_REPOSITORY:?}" "${GITHUB_REPOSITORY_ID:?}" "${GITHUB_REPOSITORY_OWNER_ID:?}" \
  "${GITHUB_REF:?}" "${GITHUB_SHA:?}" "${GITHUB_WORKFLOW_REF:?}" "${GITHUB_EVENT_NAME:?}" "${GITHUB_RUN_ID:?}" \
  "${GITHUB_RUN_ATTEMPT:?}" "${RUNNER_ENVIRONMENT:?}"
# GITHUB_WORKFLOW_REF is OWNER/NAME/PATH@REF.
jq -n 'env |
  (.GITHUB_SERVER_URL + "/" + .GITHUB_REPOSITORY) as $repository |
  (.GITHUB_WORKFLOW_REF | ltrimstr(env.GITHUB_REPOSITORY + "/") | split("@")[0]) as $path |
  {
    buildDefinition: {
      buildType: "https://slsa-framework.github.io/github-actions-buildtypes/workflow/v1",
      externalParameters: {workflow: {ref: .GITHUB_REF, repository: $repository, path: $path}},
      internalParameters: {github: {
        event_name: .GITHUB_EVENT_NAME, repository_id: .GITHUB_REPOSITORY_ID,
        repository_owner_id: .GITHUB_REPOSITORY_OWNER_ID, runner_environment: .RUNNER_ENVIRONMENT}},
      resolvedDependencies: [{uri: "git+\($repository)@\(.GITHUB_REF)", digest: {gitCommit: .GITHUB_SHA}}]
    },
    runDetails: {
      builder: {id: "https://github.com/actions/runner/\(.RUNNER_ENVIRONMENT)"},
      metadata: {invocationId: "\($repository)/actions/runs/\(.GITHUB_RUN_ID)/attempts/\(.GITHUB_RUN_ATTEMPT)"}
    }
  }'
