#!/usr/bin/env bash
# Demonstrates the operator on a real node: a private cluster in Linux namespaces, and in it, with
# real Flux, a command on four pods, an MPI program, a command that fails, and the errors for an
# invalid spec. Exits 0 only if every step succeeded; stops everything that it started and shows that
# nothing is left. It does not touch your clusters, kubeconfig or home folder. Needs root; says so, and
# exits 3, where no node can be started. `make demo` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/support/lib.sh
. tests/support/lib.sh
# shellcheck source=examples/demo-refusal.sh
. examples/demo-refusal.sh

# In memory if there is plenty: disks take seconds to write the images, and again to delete them.
plenty() {
  [ "$(df --output=avail /dev/shm | tail -n 1)" -gt 4000000 ] &&
    [ "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)" -gt 8000000 ]
}
folder=/tmp
if plenty 2>/dev/null; then folder=/dev/shm; fi
work=$(mktemp -d -p "$folder")
dir=$work/c
cluster=e2e/cluster/cluster.sh
flux=spec.flux.container.image=localhost/flux-view:e2e
child=''

step() { printf '\n==> %s\n' "$*"; }

die() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

indent() { sed 's/^/    /'; }

finish() {
  local status=$? log
  trap '' INT TERM HUP
  [ -z "$child" ] || { kill "$child" && wait "$child"; } 2>/dev/null || true
  if [ "$status" != 0 ] && [ "$status" -lt 128 ] && [ -e "$dir/up" ]; then
    "$dir/enter" kubectl --request-timeout 20s get miniclusters,pods,events --all-namespaces 2>&1 |
      tail -n 40 | indent >&2
    for log in webhook controller; do
      echo "the last lines of the $log's log:"
      tail -n 15 "$dir/logs/$log.log" | indent
    done >&2
  fi
  "$cluster" down "$dir" || status=1
  rm -rf "$work"
  [ "$status" = 0 ] || [ "$status" = 3 ] || echo "demo: failed; everything it started is stopped" >&2
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# attended COMMAND...: runs COMMAND so that a signal ends this script, and with it COMMAND, at once.
attended() {
  local status=0
  "$@" &
  child=$!
  wait "$child" || status=$?
  child=''
  return "$status"
}

# For attended(): a subshell, which becomes the command.
kubectl_minicluster_run() {
  exec timeout 600 "$dir/enter" kubectl minicluster run --set "$flux" "$@" >"$work/out" 2>"$work/err"
}

# run CODE NAME ARGUMENT...: runs a MiniCluster as a user does, and shows the command line and what it
# prints; its standard output is then in $work/out. Fails unless it ends with CODE.
run() {
  local code=$1 status=0
  shift
  echo "    \$ kubectl minicluster run $*"
  attended kubectl_minicluster_run "$@" || status=$?
  indent <"$work/err"
  indent <"$work/out"
  [ "$status" = "$code" ] || die "kubectl minicluster ended with $status, not $code"
  echo "    (exit code $status)"
}

# Without what outlives MiniClusters: the record of what they used (docs/accounts.md).
objects() {
  "$dir/enter" kubectl get miniclusters,jobs,pods,services,configmaps,secrets -o name |
    grep -vE '^(service/kubernetes|configmap/(kube-root-ca.crt|minicluster-accounts))$' || true
}
no_object() { [ -z "$(objects)" ]; }
three_runs() {
  "$dir/enter" kubectl minicluster account >"$work/account"
  [ "$(grep -cE '^(hello|sum|failure) ' "$work/account")" = 3 ]
}

# Writes the names of the cluster's namespaces to $work/namespaces, and holds them open: the kernel
# gives the name of a namespace that is gone to the next one, which may be anybody's.
hold_namespaces() {
  local unshare first _
  read -r unshare _ <"$dir/pids/machine"
  first=$(cat "/proc/$unshare/task/$unshare/children")
  first=${first%% *}
  exec {pid_held}<"/proc/$first/ns/pid" {net_held}<"/proc/$first/ns/net" {mnt_held}<"/proc/$first/ns/mnt"
  readlink "/proc/self/fd/"{"$pid_held","$net_held","$mnt_held"} >"$work/namespaces"
}

# The processes in the cluster's namespaces, mounts and cgroups; prints nothing if there are none.
leftovers() {
  local process
  for process in /proc/[0-9]*; do
    if readlink "$process"/ns/{pid,net,mnt} 2>/dev/null | grep -qFx -f "$work/namespaces"; then
      echo "process ${process#/proc/} $({ tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null || true)"
    fi
  done
  grep -F "$dir" /proc/self/mounts || true
  find /sys/fs/cgroup -type d -name "*${dir//\//-}*" 2>/dev/null || true
}
nothing_is_left() {
  leftovers >"$work/left"
  [ ! -s "$work/left" ] && [ ! -e "$dir" ]
}

begin=$SECONDS
attended e2e/up.sh "$dir"
hold_namespaces

step "Running hostname as four tasks on four pods"
run 0 hello --image localhost/mpi-sum:e2e -N 4 -n 4 -- hostname
[ "$(sort "$work/out")" = $'hello-0\nhello-1\nhello-2\nhello-3' ] || die "those are not the names of the four pods"

step "Running an MPI program on four pods (examples/mpi-sum)"
run 0 sum --image localhost/mpi-sum:e2e -N 4 -n 4 -- mpi-sum
grep -qFx '4 ranks: the sum of 1 to 4 is 10' "$work/out" || die "that is not the sum of four ranks"

step "Running a command that fails"
run 7 failure --image localhost/mpi-sum:e2e -- sh -c 'echo "no such input"; exit 7'

step "What was run"
"$dir/enter" kubectl minicluster get | indent

step "What a wrong spec is told"
show_refusal "$dir/enter" kubectl

step "Deleting everything"
for name in hello sum failure; do
  timeout 120 "$dir/enter" kubectl minicluster delete "$name" | indent
done
until_true 600 no_object || die "these objects are left: $(objects)"

step "What they used, which outlives them"
until_true 100 three_runs || die "the runs are not recorded: $(cat "$work/account")"
indent <"$work/account"

step "Stopping everything"
"$cluster" down "$dir"
until_true 100 nothing_is_left || die "this is left: $(cat "$work/left")"
echo "    no process, no mount, no cgroup and no file of the cluster is left"

step "Done in $((SECONDS - begin)) s; all of the above happened"
