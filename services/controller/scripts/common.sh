# shellcheck shell=sh disable=SC2034,SC2154,SC3040
# What the entry points share; sourced by them after settings.sh. POSIX sh. Our names begin with
# mc_, because users' snippets run in the same shell.

mc_say() {
  [ -n "$mc_quiet" ] || printf 'minicluster: %s\n' "$*"
}

# mc_fail CODE SENTENCE: ends with a code that is reserved for us, so that the Job can tell our
# failures from the command's.
mc_fail() {
  mc_fail_code=$1
  shift
  printf 'minicluster: error: %s\n' "$*" >&2
  exit "$mc_fail_code"
}

# Hundredths of a second since the node's start, as mc_now. No clock that can be set back.
mc_uptime() {
  read -r mc_now mc_rest </proc/uptime
  mc_now=${mc_now%.*}${mc_now#*.}
}

# One line per phase for whoever measures the start: `config` (configuration and certificate are in
# place), `broker` (a broker is started), `quorum` (enough have joined), `command` (the user's
# command is handed to Flux), `end`.
mc_phase() {
  mc_uptime
  mc_say "phase=$1 index=${JOB_COMPLETION_INDEX:-} uptime_cs=$mc_now"
}

# Options for the user's snippets, and back to what our own code expects.
mc_strict_on() {
  [ -n "$mc_strict" ] || return 0
  [ -z "${BASH_VERSION:-}" ] || set -o pipefail
  set -eu
}
mc_strict_off() {
  set +eu
  [ -z "${BASH_VERSION:-}" ] || set +o pipefail
}

# What users' snippets, commands and images find in the environment.
mc_environment() {
  viewbase=$mc_mount
  viewroot=$mc_mount/view
  cfg=$mc_mount/config/etc/flux/config
  mainHost=$mc_lead_host
  fluxuid=$(id -u 2>/dev/null) || fluxuid=
  fluxuser=$(id -un 2>/dev/null) || fluxuser=$fluxuid
  mc_socket=$mc_mount/config/run/flux/local
  fluxsocket=local://$mc_socket
  STATE_DIR=$mc_mount/config/var/lib/flux
  FLUX_OUTPUT_DIR=$mc_output_dir
  if [ -n "$mc_use_view" ]; then
    PATH=$PATH:$viewroot/bin
    for mc_site in "$viewroot"/lib/python3*/site-packages; do
      [ -n "$mc_python_path" ] || [ ! -d "$mc_site" ] || mc_python_path=$mc_site
    done
  fi
  [ -z "$mc_python_path" ] || PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$mc_python_path
  export PATH viewbase viewroot cfg mainHost fluxuid fluxuser fluxsocket STATE_DIR FLUX_OUTPUT_DIR
  [ -z "${PYTHONPATH:-}" ] || export PYTHONPATH
  [ -z "$mc_simple_scheduler" ] || mc_leave_out_fluxion
  # Flux's own jobs need some place, also where the root file system is read-only.
  if [ ! -w "${TMPDIR:-/tmp}" ]; then
    export TMPDIR="$mc_mount/tmp"
    mkdir -p "$TMPDIR" 2>/dev/null
  fi
}

# Fluxion loads itself where it is installed: by flux-modprobe(1), or before that by scripts that
# look at these variables. Flux has sched-simple then.
mc_leave_out_fluxion() {
  mc_modules=sched-fluxion-qmanager,sched-fluxion-feasibility,sched-fluxion-resource
  FLUX_MODPROBE_DISABLE=${FLUX_MODPROBE_DISABLE:+$FLUX_MODPROBE_DISABLE,}$mc_modules
  FLUXION_QMANAGER_RC_NOOP=1 FLUXION_RESOURCE_RC_NOOP=1
  export FLUX_MODPROBE_DISABLE FLUXION_QMANAGER_RC_NOOP FLUXION_RESOURCE_RC_NOOP
}

# Where snippets write: nowhere in quiet mode. 3 keeps the standard input for the command.
mc_streams() {
  exec 3<&0
  if [ -n "$mc_quiet" ]; then
    exec 5>/dev/null 6>/dev/null
  else
    exec 5>&1 6>&2
  fi
}

# mc_run WORD...: runs a program to its end as mc_code. It runs in the background, so that a signal
# to us reaches it at once (a shell holds a trap back while a program is in its foreground). None
# of our own descriptors reach it: 8 is what others see our end by (wait.sh). Once we have been told
# to end, so is the program.
mc_run() {
  mc_interrupted=
  "$@" <&3 3<&- 5>&- 6>&- 8>&- &
  mc_child=$!
  [ -z "$mc_signalled" ] || {
    mc_signal
    mc_interrupted=
  }
  while :; do
    wait "$mc_child"
    mc_code=$?
    [ -n "$mc_interrupted" ] || break
    mc_interrupted=
  done
  mc_child=
}

# True until the child is the program: a signal would be lost on the shell that it still is.
mc_is_shell() {
  mc_its=
  read -r mc_ours <"/proc/$$/cmdline"
  read -r mc_its <"/proc/$mc_child/cmdline"
  [ "$mc_its" = "$mc_ours" ]
} 2>/dev/null

# On SIGTERM: passed on to what runs; without anything running, the end, but where the caller sees to
# that itself (mc_ends_itself).
mc_signal() {
  mc_signalled=1
  mc_interrupted=1
  if [ -n "$mc_child" ]; then
    while mc_is_shell; do :; done
    kill -TERM "$mc_child" 2>/dev/null
  elif [ -z "$mc_ends_itself" ]; then
    mc_fail 249 "ended by a signal"
  fi
}

mc_child=
mc_ends_itself=
mc_signalled=
