#!/bin/sh
# The entry point of a sidecar with a command or snippets, as /flux_operator/start-N.sh (N: the
# index of the container in spec.containers). It runs the user's snippets and command in one shell,
# the command once the broker's socket exists, and ends them with the broker. The sidecar's code is
# only in the log: the pod's outcome is the command's.
# shellcheck disable=SC1090,SC1091,SC2154,SC3040
. "${0%/*}/common.sh"
mc_enter "$@"

# Returns when the container that runs Flux has ended, in any way. It may have ended before this one
# starts: the kubelet pulls the images one after the other. If it has failed and will be restarted
# in the pod, waits for its next end.
mc_broker_done() {
  mc_alive=$mc_mount/flux-operator-alive
  mc_complete=$mc_mount/flux-operator-complete.txt
  if [ ! -p "$mc_alive" ]; then
    until [ -e "$mc_complete" ]; do sleep 1; done
    return
  fi
  until [ -e "$mc_mount/flux-operator-started.txt" ]; do sleep 1; done
  mc_ended=
  [ ! -s "$mc_complete" ] || read -r mc_ended <"$mc_complete"
  # While 9 is open, the pipe has a writer, so that it can be opened for reading.
  mc_runs_again "$mc_ended" || exec 9<>"$mc_alive"
  exec 7<"$mc_alive" 9>&-
  cat <&7
}

# Runs this script again under supervision, in a process group of its own if the image has setsid,
# so that all processes of the user's commands end with them.
mc_supervise() {
  set -- "$mc_shell" "$0" run
  mc_group=
  if command -v setsid >/dev/null 2>&1; then
    set -- setsid "$@"
    mc_group=-
  fi
  trap 'mc_signalled=1' TERM INT HUP
  "$@" <&3 3<&- &
  mc_child=$!
  # Repeated, because a signal that comes before `wait` does not interrupt it.
  (mc_broker_done && while kill -TERM "$$"; do sleep 1; done) >/dev/null 2>&1 &
  mc_watcher=$!
  wait "$mc_child"
  mc_code=$?
  kill "$mc_watcher" 2>/dev/null
  if [ -n "$mc_signalled" ]; then
    kill -s TERM -- "$mc_group$mc_child" 2>/dev/null
    (sleep 3 && kill -s KILL -- "$mc_group$mc_child") >/dev/null 2>&1 &
    wait "$mc_child"
    mc_say "sidecar was stopped because the broker ended"
  else
    mc_say "sidecar ended with code $mc_code"
  fi
  exit 0
}

exec 3<&0
# Otherwise the init container has made them.
[ -n "$mc_use_view" ] || mc_make_folders
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
