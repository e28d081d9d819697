#!/bin/sh
# The entry point of a sidecar with a command or snippets, as /flux_operator/start-N.sh (N: the
# index of the container in spec.containers). It runs the user's snippets and command in one shell,
# the command once the broker's socket exists, and ends them with the broker. The sidecar's code is
# only in the log: the pod's outcome is the command's.
# shellcheck disable=SC1090,SC1091,SC2154,SC3040
if [ -z "${BASH_VERSION:-}" ] && command -v bash >/dev/null 2>&1; then
  exec bash "$0" "$@"
fi
[ -z "${BASH_VERSION:-}" ] || set +o posix

mc_dir=${0%/*}
mc_index=${0##*-}
mc_files=$mc_dir/container-${mc_index%.sh}
. "$mc_dir/settings.sh"
. "$mc_dir/common.sh"

# Returns when the container that runs Flux has ended, in any way.
mc_broker_done() {
  if [ -p "$mc_mount/flux-operator-alive" ]; then
    cat "$mc_mount/flux-operator-alive" >/dev/null
  else
    until [ -e "$mc_mount/flux-operator-complete.txt" ]; do sleep 1; done
  fi
}

# Runs this script again under supervision, in a process group of its own if the image has setsid,
# so that all processes of the user's commands end with them.
mc_supervise() {
  mc_shell="sh"
  [ -z "${BASH_VERSION:-}" ] || mc_shell=bash
  set -- "$mc_shell" "$0" run
  mc_group=
  if command -v setsid >/dev/null 2>&1; then
    set -- setsid "$@"
    mc_group=-
  fi
  trap 'mc_signalled=1' TERM INT HUP
  "$@" <&3 3<&- &
  mc_child=$!
  (mc_broker_done && kill -TERM "$$") >/dev/null 2>&1 &
  mc_watcher=$!
  wait "$mc_child"
  mc_code=$?
  if [ -n "$mc_signalled" ]; then
    kill -s TERM -- "$mc_group$mc_child" 2>/dev/null
    (sleep 3 && kill -s KILL -- "$mc_group$mc_child") >/dev/null 2>&1 &
    wait "$mc_child"
    mc_say "sidecar ended with the broker"
  else
    kill "$mc_watcher" 2>/dev/null
    mc_say "sidecar ended with code $mc_code"
  fi
  exit 0
}

exec 3<&0
[ "${1:-}" = run ] || mc_supervise

mc_environment
mc_streams
# The container that runs Flux writes them too; its files are kept.
[ -e "$mc_mount/flux-view.sh" ] || mc_write_helpers
for mc_snippet in init pre service-pre; do
  [ -e "$mc_files/$mc_snippet.sh" ] || continue
  mc_strict_on
  . "$mc_files/$mc_snippet.sh" >&5 2>&6
  mc_strict_off
done
if [ -n "$mc_wait_socket" ]; then
  # Not every image's sleep accepts fractions.
  until [ -e "$mc_socket" ]; do sleep 0.2 2>/dev/null || sleep 1; done
fi
mc_code=0
if [ -e "$mc_files/command.sh" ]; then
  mc_strict_on
  . "$mc_files/command.sh"
  mc_code=$?
  mc_strict_off
fi
if [ -e "$mc_files/post.sh" ]; then
  mc_strict_on
  . "$mc_files/post.sh"
  mc_strict_off
fi
exit "$mc_code"
