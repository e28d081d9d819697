#!/bin/sh
# What `helm test` runs: asks the API server, with nothing stored, for a good and for a bad
# MiniCluster, until it answers as it does when the webhook is asked, or TIMEOUT seconds have gone by.
# API_SERVER, NAMESPACE, LABELS in JSON, and the folder SERVICE_ACCOUNT with `token` and `ca.crt`.
set -u

kind='"apiVersion":"flux-framework.org/v1alpha2","kind":"MiniCluster"'
# Only the webhook computes maxSize.
good="{$kind,\"metadata\":{\"name\":\"helm-test-good\",\"labels\":$LABELS},
  \"spec\":{\"size\":3,\"containers\":[{\"image\":\"ubuntu:24.04\",\"command\":\"hostname\"}]}}"
# The CRD alone has nothing against it.
bad="{$kind,\"metadata\":{\"name\":\"helm-test-bad\",\"labels\":$LABELS},
  \"spec\":{\"size\":3,\"containers\":[{\"image\":\"ubuntu:24.04\",\"command\":\"hostname\",
    \"resources\":{\"limits\":{\"cpu\":\"much\"}}}]}}"

url=$API_SERVER/apis/flux-framework.org/v1alpha2/namespaces/$NAMESPACE/miniclusters

# The token goes through standard input, so that it is in no list of processes.
create() {
  printf 'header = "Authorization: Bearer %s"\n' "$(cat "$SERVICE_ACCOUNT/token")" |
    curl --silent --show-error --noproxy '*' --max-time 30 --cacert "$SERVICE_ACCOUNT/ca.crt" \
      --config - --header 'Content-Type: application/json' --write-out '\n%{http_code}' \
      --data "$1" "$url?dryRun=All&pretty=false" 2>&1
}

# check NAME OBJECT CODE TEXT: whether the answer is CODE and has TEXT; else what it was is in `why`.
check() {
  answer=$(create "$2")
  case $answer in
    *"$4"*"
$3") return 0 ;;
  esac
  why="$1: expected $3 with $4, the answer is: $answer"
  return 1
}

end=$(($(date +%s) + TIMEOUT))
until check 'a good MiniCluster' "$good" 201 '"maxSize":3' &&
  check 'a bad MiniCluster' "$bad" 422 'spec.containers[0].resources.limits'; do
  if [ "$(date +%s)" -ge "$end" ]; then
    echo "$why"
    exit 1
  fi
  sleep 1
done
echo 'A good MiniCluster is accepted and defaulted, a bad one is refused.'
