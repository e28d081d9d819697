# For demo.sh and demo-api.sh, whose $work, indent and die it uses; sourced.
# shellcheck shell=bash disable=SC2154

# show_refusal KUBECTL...: requests an invalid spec and shows the answer: one bullet per error, and nothing is stored.
show_refusal() {
  cat >"$work/wrong.yaml" <<'END'
apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: wrong
spec:
  size: 0
  tasks: -1
  containers:
  - image: ubuntu:noble
    command: hostname
    ports: [70000]
    volumes:
      data: {claimName: data, path: data}
END
  indent <"$work/wrong.yaml"
  local status=0
  "$@" apply -f "$work/wrong.yaml" >"$work/answer" 2>&1 || status=$?
  echo "  kubectl says (exit code $status):"
  indent <"$work/answer"
  [ "$status" = 1 ] || die "the wrong spec was not refused"
  [ "$(grep -c '^\* spec\.' "$work/answer")" = 4 ] || die "that is not one bullet per mistake"
  ! "$@" get miniclusters -o name | grep -q wrong || die "the wrong spec was stored"
}
