# shellcheck shell=sh disable=SC1091,SC2034,SC2154,SC3028,SC3040
# What all scripts share: the settings, and these functions. POSIX sh. Our names begin with mc_,
# because users' snippets run in the same shell.
mc_dir=${0%/*}
. "$mc_dir/settings.sh"

# mc_enter "$@": begins an entry point with snippets, PREFIX-N.sh, again in bash if the image has it.
# Sets mc_shell, and mc_files to the folder with the snippets of container N.
mc_enter() {
  mc_shell="sh"
  if [ -n "${BASH_VERSION:-}" ]; then
    set +o posix
    mc_shell=bash
  elif command -v bash >/dev/null 2>&1; then
    exec bash "$0" "$@"
  fi
  mc_index=${0##*-}
  mc_files=$mc_dir/container-${mc_index%.sh}
}

mc_say() {
  [ -n "$mc_quiet" ] || printf 'minicluster: %s\n' "$*"
}

# mc_tell_kubelet SENTENCE: sets the message of the ended container in the pod's status. If nothing
# is written, the kubelet takes the end of the log, which has the command's own output.
mc_tell_kubelet() {
  [ ! -w "${mc_termination_log:-/dev/termination-log}" ] ||
    printf '%s' "$*" >"${mc_termination_log:-/dev/termination-log}"
}

# mc_fail CODE SENTENCE: ends with a code that is reserved for us, so that the Job can distinguish
# our failures from the command's.
mc_fail() {
  mc_failed=$1
  shift
  printf 'minicluster: error: %s\n' "$*" >&2
  mc_tell_kubelet "$*"
  exit "$mc_failed"
}

# Sets mc_now to the hundredths of a second since the node's start. This clock is never set back.
mc_uptime() {
  read -r mc_now mc_rest </proc/uptime
  mc_now=${mc_now%.*}${mc_now#*.}
  # A number with a leading 0 is octal.
  while :; do
    case $mc_now in 0?*) mc_now=${mc_now#0} ;; *) break ;; esac
  done
}

# Prints one line per phase, to measure the start: `config` (configuration and certificate are in
# place), `broker` (a broker is started), `quorum` (enough have joined), `command` (the user's
# command is passed to Flux), `end`.
mc_phase() {
  mc_uptime
  mc_say "phase=$1 index=${JOB_COMPLETION_INDEX:-} uptime_cs=$mc_now"
}

# Set the shell options for the user's snippets, and back for our own code.
mc_strict_on() {
  [ -n "$mc_strict" ] || return 0
  [ -z "${BASH_VERSION:-}" ] || set -o pipefail
  set -eu
}
mc_strict_off() {
  set +eu
  [ -z "${BASH_VERSION:-}" ] || set +o pipefail
}

# mc_word VALUE: sets mc_worded to one word that a shell reads back as VALUE.
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

# mc_offer NAME VALUE: sets a variable for snippets, unless the pod's environment has one of that
# name.
mc_offer() {
  eval "[ -n \"\${$1+x}\" ]" || eval "$1=\$2"
}

# Sets the environment of users' snippets, commands and images.
mc_environment() {
  viewbase=$mc_mount
  viewroot=$mc_mount/view
  cfg=$mc_mount/config/etc/flux/config
  mainHost=$mc_lead_host
  fluxuid=${EUID:-$(id -u 2>/dev/null)} || fluxuid= # bash has EUID
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
  # For a user that the image does not know.
  [ "${HOME:-/}" != / ] || export HOME="$mc_home" USER=flux-operator
  if [ -n "$mc_simple_scheduler" ]; then # for Flux before flux-modprobe(1); see mc_prepare
    export FLUXION_QMANAGER_RC_NOOP=1 FLUXION_RESOURCE_RC_NOOP=1
  fi
  # Flux's own jobs need a place to write, also if the root file system is read-only.
  if [ ! -w "${TMPDIR:-/tmp}" ]; then
    export TMPDIR="$mc_mount/tmp"
    mkdir -p "$TMPDIR" 2>/dev/null
  fi
}

# Makes what containers of the pod share in the mount path, in any order and more than once. Any user
# may write to these folders, because containers may have different users. The folders that Flux must
# own are made by the brokers themselves.
mc_make_folders() {
  mc_config=$mc_mount/config
  # shellcheck disable=SC2174 # each parent is named
  mkdir -p -m 777 "$mc_mount/view" "$mc_mount/view/run" "$mc_mount/view/etc" \
    "$mc_mount/view/etc/flux" "$mc_mount/view/etc/flux/system" "$mc_mount/software" \
    "$mc_mount/tmp" "$mc_config" \
    "$mc_config/run" "$mc_config/var" "$mc_config/var/lib" "$mc_config/etc" "$mc_config/etc/flux" \
    "$mc_config/etc/flux/config" "$mc_config/etc/flux/system" "$mc_config/etc/flux/system/cron.d" ||
    mc_fail "$mc_exit_no_configuration" "cannot make folders in $mc_mount"
  mc_alive=$mc_mount/flux-operator-alive
  [ -p "$mc_alive" ] || mkfifo -m 666 "$mc_alive" 2>/dev/null || [ -p "$mc_alive" ] ||
    mc_say "no named pipe in $mc_mount; sidecars look for flux-operator-complete.txt"
}

# Public instructions name the folders of older Flux views: `flux proxy local:///mnt/flux/view/run/flux/local`,
# and R in view/etc/flux/system. Both are links to where they are now. What a view has there itself stays.
mc_link_older_places() {
  mc_link ../../config/run/flux "$mc_mount/view/run/flux"
  mc_link ../../../../config/etc/flux/system/R "$mc_mount/view/etc/flux/system/R"
}
mc_link() { [ -e "$2" ] || [ -L "$2" ] || ln -s "$1" "$2" 2>/dev/null || [ -L "$2" ]; }
# A view is copied over what there is, and cp refuses to replace a link by a folder.
mc_unlink_older_places() {
  for mc_older in "$mc_mount/view/run/flux" "$mc_mount/view/etc/flux/system/R"; do
    [ ! -L "$mc_older" ] || rm -f "$mc_older"
  done
}

# Copies the configuration to the mount path.
mc_copy_configuration() {
  if ! cp -f "$mc_dir/broker.toml" "$mc_mount/config/etc/flux/config/broker.toml" ||
    ! cp -f "$mc_dir/hostlist" "$mc_mount/config/etc/flux/system/hostlist"; then
    mc_fail "$mc_exit_no_configuration" "cannot write the configuration to $mc_mount/config"
  fi
}

# Writes files for snippets, for sidecars and for users of kubectl exec, each atomically.
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
    [ ! -s "$mc_dir/environment.sh" ] || cat "$mc_dir/environment.sh"
  } >"$mc_mount/flux-view.sh.$$"
  # shellcheck disable=SC2016
  {
    mc_word "$mc_mount/flux-view.sh"
    printf '. %s\n' "$mc_worded"
    printf 'flux proxy "$fluxsocket" bash\n'
  } >"$mc_mount/flux-connect.sh.$$"
  {
    printf 'flux module remove sched-simple\n'
    printf 'flux module load sched-fluxion-resource\n'
    printf 'flux module load sched-fluxion-qmanager\n'
  } >"$mc_mount/load-fluxion.sh.$$"
  for mc_helper in flux-connect load-fluxion flux-view; do
    mv -f "$mc_mount/$mc_helper.sh.$$" "$mc_mount/$mc_helper.sh"
  done
}

# Sets where snippets write: nowhere in quiet mode. 3 keeps the standard input for the command.
mc_streams() {
  exec 3<&0
  if [ -n "$mc_quiet" ]; then
    exec 5>/dev/null 6>/dev/null
  else
    exec 5>&1 6>&2
  fi
}

# mc_run WORD...: runs a program to its end and sets mc_code. It runs in the background, so that a
# signal to us reaches it at once (a shell delays a trap while a program is in its foreground). It
# gets none of our descriptors: others wait for our end by 8 (broker.sh). After an earlier signal it
# is ended at once.
#
# For what it starts in the background, bash lowers SHLVL; with 0, each bash that Flux starts would take
# itself for that of a login over the network, and read the image's ~/.bashrc.
mc_run() {
  mc_interrupted=
  [ -z "${BASH_VERSION:-}" ] || SHLVL=$((SHLVL + 1))
  "$@" <&3 3<&- 5>&- 6>&- 7>&- 8>&- &
  mc_child=$!
  [ -z "${BASH_VERSION:-}" ] || SHLVL=$((SHLVL - 1))
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

# True until the child is the program: while it is still a shell, a signal would be lost.
mc_is_shell() {
  mc_its=
  read -r mc_ours <"/proc/$$/cmdline"
  read -r mc_its <"/proc/$mc_child/cmdline"
  [ "$mc_its" = "$mc_ours" ]
} 2>/dev/null

# mc_within SECONDS WORD...: runs a program without input or output, and kills it after that time.
# Returns its code.
mc_within() {
  mc_limit=$1
  shift
  "$@" >/dev/null 2>&1 </dev/null 3<&- 5>&- 6>&- 8>&- &
  mc_bounded=$!
  (sleep "$mc_limit" && kill -s KILL "$mc_bounded") >/dev/null 2>&1 </dev/null 3<&- 4<&- 8>&- &
  mc_timer=$!
  wait "$mc_bounded"
  mc_bounded=$?
  kill "$mc_timer" 2>/dev/null
  return "$mc_bounded"
}

# On a signal: sends SIGTERM to the running program, or calls mc_when_told if it is set. If nothing
# runs, ends, unless mc_ends_itself is set.
mc_signal() {
  mc_signalled=1
  mc_interrupted=1
  if [ -n "$mc_child" ]; then
    while mc_is_shell; do :; done
    if [ -n "$mc_when_told" ]; then "$mc_when_told"; else kill -TERM "$mc_child" 2>/dev/null; fi
  elif [ -z "$mc_ends_itself" ]; then
    mc_fail "$mc_exit_signalled" "ended by a signal"
  fi
}

# How the container ended, for its restart in the same pod: `CODE STEP`. For the command, lead.sh
# writes it before any follower is informed, so that it holds whatever fails later.
mc_end_file=$mc_mount/flux-operator-code.txt
# How often the pod was restarted in place. The init container keeps it.
mc_restarts_file=$mc_mount/flux-operator-restarts.txt
# mc_runs_again CODE: whether the container that runs Flux, which has ended with CODE, is started again
# in its pod.
mc_runs_again() {
  [ "$1" = "$mc_exit_in_place" ] || { [ -n "$mc_restarts" ] && [ "$1" != 0 ]; }
}
# The ids of the command's jobs, in one line, written as soon as they are submitted.
mc_jobs_file=$mc_mount/flux-operator-jobs.txt
# What the client of the standard input has said first (lead.sh).
mc_input_file=$mc_mount/flux-operator-input.txt
# A pipe: while the lead stays, those who copy its files open it for writing (linger.sh, copy-out.sh).
mc_copies=$mc_mount/flux-operator-copies
# A key in Flux's KVS: the follower that was last signaled to end while the command ran.
mc_left_key=minicluster.left

# A directory in Flux's KVS: the jobs that were told to save their state, each with the host that was told
# to end (checkpoint.sh).
mc_saved_key=minicluster.checkpoint
# The lead is told to end, and its jobs are saving their state.
mc_saving_file=$mc_mount/flux-operator-saving.txt

# The jobs that ran longer than spec.drainSeconds (leave.sh) or the time for a checkpoint (checkpoint.sh)
# allow, one in a line.
mc_outlived_file=$mc_mount/flux-operator-outlived.txt
# Why the node is drained, by which the next pod of that index finds out that it is to undrain it.
mc_drain_reason="minicluster: its pod was told to end"

# mc_running FORMAT: the jobs that run, with mc_host only those on that host.
mc_running() { flux jobs -n --filter=running ${mc_host:+"--include=$mc_host"} -o "$1"; }

# mc_record CODE STEP: writes mc_end_file, atomically.
mc_record() {
  printf '%s %s\n' "$1" "$2" >"$mc_end_file.new" && mv -f "$mc_end_file.new" "$mc_end_file"
}

# mc_owns FILE: false if a later lead of this MiniCluster has claimed what FILE belongs to (broker.sh).
mc_owns() {
  mc_owner=
  [ ! -s "$1" ] || read -r mc_owner <"$1"
  case $mc_owner in
    "$MINICLUSTER_LEAD") ;;
    "${MINICLUSTER_LEAD% *} "*) return 1 ;;
  esac
}

mc_child=
mc_failed=
mc_when_told=
mc_ends_itself=
mc_signalled=
