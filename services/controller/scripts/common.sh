# shellcheck shell=sh disable=SC2034,SC2154,SC3040
# What the entry points share; sourced by them after settings.sh. POSIX sh. Our names begin with
# mc_, because users' snippets run in the same shell.

mc_say() {
  [ -n "$mc_quiet" ] || printf 'minicluster: %s\n' "$*"
}

# mc_tell_kubelet SENTENCE: becomes the message of the ended container in the pod's status. Where
# nothing is written the kubelet takes the end of the log, which has the command's own words.
mc_tell_kubelet() {
  [ ! -w "${mc_termination_log:-/dev/termination-log}" ] ||
    printf '%s' "$*" >"${mc_termination_log:-/dev/termination-log}"
}

# mc_fail CODE SENTENCE: ends with a code that is reserved for us, so that the Job can tell our
# failures from the command's.
mc_fail() {
  mc_failed=$1
  shift
  printf 'minicluster: error: %s\n' "$*" >&2
  mc_tell_kubelet "$*"
  exit "$mc_failed"
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

# mc_word VALUE: as mc_worded, one word that a shell reads back as VALUE.
mc_word() {
  mc_worded=$1
  case $1 in
    '' | *[!A-Za-z0-9_./:=@%+,-]*) ;;
    *) return ;;
  esac
  mc_todo=$1
  mc_worded=
  while :; do
    case $mc_todo in
      *\'*)
        mc_worded="$mc_worded${mc_todo%%\'*}'\\''"
        mc_todo=${mc_todo#*\'}
        ;;
      *) break ;;
    esac
  done
  mc_worded="'$mc_worded$mc_todo'"
}

# mc_offer NAME VALUE: a variable for snippets, but where the pod's environment has one of that name.
mc_offer() {
  eval "[ -n \"\${$1+x}\" ]" || eval "$1=\$2"
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
  mc_offer configroot "$mc_mount/config"
  mc_offer curvepath "$mc_mount/config/curve/curve.cert"
  mc_offer curvesrc "$mc_dir/curve.cert"
  mc_offer fluxpath "$viewroot/bin/flux"
  mc_offer software "$mc_mount/software"
  mc_offer viewbin "$viewroot/bin"
  mc_offer workdir "$PWD"
  if [ -n "$mc_use_view" ]; then
    PATH=$PATH:$viewroot/bin
    for mc_root in "$viewroot"/lib/python3*; do
      [ -d "$mc_root/site-packages" ] || continue
      mc_offer foundroot "$mc_root"
      mc_offer pythonversion "$viewroot/bin/${mc_root##*/}"
      [ -n "$mc_python_path" ] || mc_python_path=$mc_root/site-packages
    done
  fi
  [ -z "$mc_python_path" ] || PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$mc_python_path
  export PATH viewbase viewroot cfg mainHost fluxuid fluxuser fluxsocket STATE_DIR FLUX_OUTPUT_DIR
  [ -z "${PYTHONPATH:-}" ] || export PYTHONPATH
  # A user whom the image does not know.
  [ "${HOME:-/}" != / ] || export HOME="$mc_home" USER=flux-operator
  if [ -n "$mc_simple_scheduler" ]; then # for Flux before flux-modprobe(1); see mc_prepare
    export FLUXION_QMANAGER_RC_NOOP=1 FLUXION_RESOURCE_RC_NOOP=1
  fi
  # Flux's own jobs need some place, also where the root file system is read-only.
  if [ ! -w "${TMPDIR:-/tmp}" ]; then
    export TMPDIR="$mc_mount/tmp"
    mkdir -p "$TMPDIR" 2>/dev/null
  fi
}

# mc_write NAME: standard input as a file of the mount path, whole or not at all.
mc_write() {
  cat >"$mc_mount/$1.$$" && mv -f "$mc_mount/$1.$$" "$mc_mount/$1"
}

# For snippets, for people who come in with kubectl exec, and for sidecars.
mc_write_helpers() {
  # shellcheck disable=SC2016 # expanded by whoever sources the file
  {
    mc_word "$PATH"
    printf 'export PATH=%s\n' "$mc_worded"
    mc_word "${PYTHONPATH:-}"
    [ -z "${PYTHONPATH:-}" ] || printf 'export PYTHONPATH=%s\n' "$mc_worded"
    mc_word "$viewroot/lib"
    [ -z "$mc_use_view" ] ||
      printf 'export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}"%s\n' "$mc_worded"
    mc_word "$fluxsocket"
    printf 'export fluxsocket=%s\n' "$mc_worded"
    cat "$mc_dir/environment.sh"
  } | mc_write flux-view.sh
  # shellcheck disable=SC2016
  {
    mc_word "$mc_mount/flux-view.sh"
    printf '. %s\n' "$mc_worded"
    printf 'flux proxy "$fluxsocket" bash\n'
  } | mc_write flux-connect.sh
  {
    printf 'flux module remove sched-simple\n'
    printf 'flux module load sched-fluxion-resource\n'
    printf 'flux module load sched-fluxion-qmanager\n'
  } | mc_write load-fluxion.sh
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

# Where a queue may admit a part of the pods, of which the settings know nothing: waits until the
# controller tells how many there are, and has the lead ask for as many. Tasks go down with the pods.
mc_take_admitted() {
  [ -n "${mc_asked_size:-}" ] || return 0
  mc_admitted=
  while :; do
    read -r mc_admitted <"$mc_dir/admitted" || : # without an end of line
    [ -z "$mc_admitted" ] || break
    sleep 0.2 2>/dev/null || sleep 1 # not every image's knows fractions
  done
  mc_quorum=$mc_admitted
  [ -z "$mc_nodes" ] || mc_nodes=$mc_admitted
  [ -z "$mc_tasks" ] || mc_tasks=$(((mc_tasks * mc_admitted + mc_asked_size - 1) / mc_asked_size))
  mc_say "admitted $mc_admitted of $mc_asked_size pods"
}

# mc_within SECONDS WORD...: runs a program, which is killed after that time, without input or output.
# Returns its code.
mc_within() {
  mc_limit=$1
  shift
  "$@" >/dev/null 2>&1 </dev/null 3<&- 5>&- 6>&- 8>&- &
  mc_bounded=$!
  (sleep "$mc_limit" && kill -s KILL "$mc_bounded") >/dev/null 2>&1 </dev/null 3<&- 8>&- &
  mc_timer=$!
  wait "$mc_bounded"
  mc_bounded=$?
  kill "$mc_timer" 2>/dev/null
  return "$mc_bounded"
}

# On SIGTERM: passed on to what runs, or seen to by the caller (mc_when_told); without anything running,
# the end, but where the caller sees to that itself (mc_ends_itself).
mc_signal() {
  mc_signalled=1
  mc_interrupted=1
  if [ -n "$mc_child" ]; then
    while mc_is_shell; do :; done
    if [ -n "$mc_when_told" ]; then "$mc_when_told"; else kill -TERM "$mc_child" 2>/dev/null; fi
  elif [ -z "$mc_ends_itself" ]; then
    mc_fail 249 "ended by a signal"
  fi
}

# How the container has ended, for whoever starts it again in its pod: `CODE STEP`. The command's is
# written by lead.sh before anybody is told of it, so that it holds whatever dies after that.
mc_end_file=$mc_mount/flux-operator-code.txt
# The jobs that are the command, as soon as they are submitted: their ids, in one line.
mc_jobs_file=$mc_mount/flux-operator-jobs.txt
# In Flux's KVS: the follower that was last told to end while the command ran.
mc_left_key=minicluster.left

# mc_record CODE STEP: whole or not at all.
mc_record() {
  printf '%s %s\n' "$1" "$2" >"$mc_end_file.new" && mv -f "$mc_end_file.new" "$mc_end_file"
}

mc_child=
mc_failed=
mc_when_told=
mc_ends_itself=
mc_signalled=
