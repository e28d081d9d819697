#!/bin/sh
# The entry point of the container that runs Flux, as /flux_operator/wait-N.sh (N: the index of the
# container in spec.containers). Index 0 leads: it starts a broker with the user's command. The
# others follow: their brokers join it. The user's snippets and this script run in one shell, bash
# if the image has it, so that variables and the working directory persist; an `exit` in a snippet
# ends the script.
#
# Our own exit codes are $mc_exit_* (render/exit_codes.h, docs/pods.md). Any other code is the
# command's, or that of an `exit` in a snippet.
# shellcheck disable=SC1090,SC1091,SC2034,SC2154,SC2317,SC3025,SC3028,SC3040,SC3045
. "${0%/*}/common.sh"
mc_enter "$@"

# Without a view there is no init container: does its work, once for each pod.
mc_initialize() {
  [ -z "$mc_use_view" ] && [ ! -e "$mc_mount/flux-operator-done.txt" ] || return 0
  mc_make_folders
  # To the folder in memory for the certificate (render/volumes.cpp).
  [ -h "$mc_mount/config/curve" ] || ln -s ../curve "$mc_mount/config/curve" ||
    mc_fail "$mc_exit_no_configuration" "cannot make a link in $mc_mount/config"
  mc_copy_configuration
  mc_link_older_places
  : >"$mc_mount/flux-operator-done.txt"
}

# sidecar.sh waits for our end by reading from this pipe: it closes however we end. The file tells a
# sidecar.sh that starts after our end that it need not wait for a writer.
mc_hold_alive() {
  if [ -e "$mc_mount/flux-operator-started.txt" ]; then # by the container before a restart
    rm -f "$mc_mount/flux-operator-complete.txt" "$mc_mount/flux-operator-ended.txt" \
      "$mc_mount/flux-operator-begun.txt" "$mc_mount/flux-operator-lost.txt" "$mc_jobs_file" \
      "$mc_outlived_file" "$mc_saving_file"
  fi
  [ ! -p "$mc_mount/flux-operator-alive" ] || exec 8<>"$mc_mount/flux-operator-alive"
  : >"$mc_mount/flux-operator-started.txt"
}

# Asks the proxy of a service mesh, which would run on and so keep the pod from ending, to end: Istio's
# and Linkerd's, on the loopback, unless that is the node's. They answer at once if they are there. Needs
# bash.
mc_end_proxies() {
  [ -n "${BASH_VERSION-}" ] && [ -z "$mc_host_network" ] || return 0
  for mc_proxy in $mc_proxies; do
    (
      exec 9<>"/dev/tcp/127.0.0.1/${mc_proxy%%/*}" || exit
      printf 'POST /%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' \
        "${mc_proxy#*/}" >&9
      read -r -t 2 mc_rest <&9
    ) 2>/dev/null || :
  done
}

# From here on the lead's standard error is labelled, if that is wanted. 7 is the container's own.
mc_label_stderr() {
  mc_labeller=
  [ -n "$mc_stderr_label" ] && mc_leads && command -v sed >/dev/null 2>&1 || return 0
  mc_pipe=$mc_mount/flux-operator-stderr
  rm -f "$mc_pipe"
  mkfifo -m 600 "$mc_pipe" 2>/dev/null || return 0
  mc_uptime
  mc_last_line="minicluster: end of the standard error $$.$mc_now"
  exec 7>&2
  sh "$mc_dir/label.sh" "$mc_stderr_label" "$mc_last_line" <"$mc_pipe" 2>&7 7>&- 8>&- &
  mc_labeller=$!
  exec 2>"$mc_pipe"
}

# Returns when all that was written to the standard error is in the log. What still runs may have the
# pipe open, and a snippet another standard error. Opened for both, the pipe needs no reader.
mc_end_labels() {
  [ -n "$mc_labeller" ] || return 0
  printf '%s\n' "$mc_last_line" 1<>"$mc_pipe"
  exec 2>&7
  while kill -0 "$mc_labeller" 2>/dev/null; do wait "$mc_labeller"; done
}

# If the lead is to stay after its command, waits for those who copy its files. A signal ends that,
# also one that has come a moment before.
mc_linger() {
  [ -n "$mc_linger_seconds" ] && [ -n "$mc_has_run" ] && [ -z "$mc_signalled" ] || return 0
  exec 8>&- # sidecars do not wait for this
  rm -f "$mc_copies" "$mc_copies.done"
  mkfifo -m 600 "$mc_copies" 2>/dev/null || return 0
  echo "minicluster: stays up to $mc_linger_seconds s for its files to be copied" # clients wait for this
  trap mc_signal TERM INT HUP
  mc_run sh "$mc_dir/linger.sh" "$mc_linger_seconds" >/dev/null 2>&1
}

# mc_tell_end CODE: records how the command or a snippet ended, and sets mc_final to the code of the
# container. The code is final, also if it is reserved or that of a kill. Then, and if it is not the
# command's, the last line of the log says what has ended. After a code of 0 the kubelet does not read
# the log: a snippet that ended instead of the command is in its message.
mc_tell_end() {
  if [ "$1" -eq 0 ]; then
    case $mc_step in
      "the command" | post) ;;
      *) mc_tell_kubelet "minicluster: error: $mc_step ended with code 0" ;;
    esac
    return
  fi
  mc_record "$1" "$mc_step"
  case " $mc_reserved_codes " in *" $1 "*) mc_final=$mc_exit_reserved ;; esac
  if [ "$mc_final" -eq "$mc_exit_reserved" ] || [ "$mc_step" != "the command" ]; then
    printf 'minicluster: error: %s ended with code %s\n' "$mc_step" "$1" >&2
  fi
}

# If the lead lost a follower or its broker, the kubelet restarts its pod after this code, without a
# limit or a delay of its own. So the pod counts, and fails when it has been restarted often enough.
mc_restart_in_place() {
  [ -n "$mc_restarts_in_place" ] && [ "$mc_role" = broker ] && [ -z "$mc_signalled" ] || return 0
  case $mc_failed in "$mc_exit_follower_lost" | "$mc_exit_broker_ended") ;; *) return 0 ;; esac
  mc_count=0
  [ ! -s "$mc_restarts_file" ] || read -r mc_count <"$mc_restarts_file"
  mc_count=$((mc_count + 1))
  [ "$mc_count" -le "$mc_restarts_in_place" ] || return 0
  { printf '%s\n' "$mc_count" >"$mc_restarts_file"; } 2>/dev/null || return 0
  mc_say "the pod restarts in place ($mc_count of $mc_restarts_in_place)"
  mc_final=$mc_exit_in_place
}

# mc_end CODE: runs last. Our own failures have been reported. If a signal has ended `post`, such as by its
# `wait`, the code before `post` counts.
mc_end() {
  trap 'mc_signalled=1' TERM INT HUP
  if [ "$mc_step" = post ] && [ -n "$mc_signalled" ] && [ "$1" -gt 128 ]; then
    mc_step=$mc_last_step
    set -- "$mc_code"
    [ -z "$mc_why" ] || mc_failed=$mc_code
  fi
  mc_final=$1
  mc_restart_in_place
  { printf '%s\n' "$mc_final" >"$mc_mount/flux-operator-complete.txt"; } 2>/dev/null
  mc_runs_again "$mc_final" || mc_end_proxies
  [ -n "$mc_failed" ] || mc_tell_end "$1"
  mc_end_labels
  mc_linger
  exit "$mc_final"
}

# A container that is restarted in its pod (restartPolicy OnFailure) ends again as it has ended
# before.
mc_repeat_end() {
  [ -s "$mc_end_file" ] || return 0
  read -r mc_code mc_step <"$mc_end_file"
  mc_say "$mc_step has already ended with code $mc_code; it is not run again"
  exit "$mc_code"
}

mc_leads() {
  [ -n "$mc_has_lead" ] || return 1
  [ "${JOB_COMPLETION_INDEX:-${HOSTNAME##*-}}" = 0 ]
}

# If a queue may admit only some of the pods: waits until the controller writes their number, which
# is not in the settings, and sets quorum and nodes to it. The tasks are reduced in proportion.
mc_take_admitted() {
  [ -n "${mc_asked_size:-}" ] || return 0
  mc_admitted=
  while :; do
    read -r mc_admitted <"$mc_dir/admitted" || : # without an end of line
    [ -z "$mc_admitted" ] || break
    sleep 0.2 2>/dev/null || sleep 1 # not every image's sleep accepts fractions
  done
  mc_quorum=$mc_admitted
  mc_pods=$mc_admitted
  [ -z "$mc_nodes" ] || mc_nodes=$mc_admitted
  [ -z "$mc_tasks" ] || mc_tasks=$(((mc_tasks * mc_admitted + mc_asked_size - 1) / mc_asked_size))
  mc_say "admitted $mc_admitted of $mc_asked_size pods"
}

# Flux requires a certificate that only the user of the broker can read.
mc_copy_certificate() {
  mc_certificate=$mc_mount/config/curve/curve.cert
  [ -d "${mc_certificate%/*}" ] || mkdir -p "${mc_certificate%/*}"
  [ ! -e "$mc_certificate" ] || rm -f "$mc_certificate"
  if ! (umask 0377 && cat "$mc_dir/curve.cert" >"$mc_certificate"); then
    mc_fail "$mc_exit_no_certificate" "cannot copy $mc_dir/curve.cert to $mc_certificate"
  fi
}

# mc_count_ids LIST: sets mc_count to the number of ids in a list such as 0-3,8.
mc_count_ids() {
  mc_count=0
  mc_todo=$1,
  while [ -n "$mc_todo" ]; do
    mc_range=${mc_todo%%,*}
    mc_todo=${mc_todo#*,}
    [ -z "$mc_range" ] || mc_count=$((mc_count + ${mc_range##*-} - ${mc_range%%-*} + 1))
  done
}

# Sets mc_quota and mc_period to the CPU time that this container may use in a period; "" without a
# limit. The cgroup has the limit that applies, after a LimitRange, another webhook or a resize. It
# is mounted at the top, except in a privileged container with cgroup v2.
mc_read_quota() {
  mc_quota='' mc_period='' mc_path=''
  [ -r "$mc_system/proc/self/cgroup" ] || return 0
  while IFS=: read -r mc_rest mc_names mc_path; do
    [ -n "$mc_names" ] || break
  done <"$mc_system/proc/self/cgroup"
  for mc_cgroup in "$mc_system/sys/fs/cgroup$mc_path" "$mc_system/sys/fs/cgroup" \
    "$mc_system/sys/fs/cgroup/cpu" "$mc_system/sys/fs/cgroup/cpu,cpuacct"; do
    if [ -r "$mc_cgroup/cpu.max" ]; then
      read -r mc_quota mc_period <"$mc_cgroup/cpu.max"
    elif [ -r "$mc_cgroup/cpu.cfs_quota_us" ]; then
      read -r mc_quota <"$mc_cgroup/cpu.cfs_quota_us"
      read -r mc_period <"$mc_cgroup/cpu.cfs_period_us"
    else
      continue
    fi
    break
  done
  case $mc_quota in max | -*) mc_quota= ;; esac
}

# True if the cores are this container's alone (static CPU manager): fewer than those of the node,
# and exactly as many as its limit, for which newer kubelets then set no quota.
mc_has_own_cores() {
  mc_allowed='' mc_online=''
  [ -r "$mc_system/sys/devices/system/cpu/online" ] || return
  while read -r mc_name mc_rest; do
    [ "$mc_name" != Cpus_allowed_list: ] || mc_allowed=$mc_rest
  done <"$mc_system/proc/self/status"
  read -r mc_online <"$mc_system/sys/devices/system/cpu/online"
  mc_count_ids "$mc_online"
  mc_online=$mc_count
  mc_count_ids "$mc_allowed"
  [ "$mc_count" -lt "$mc_online" ] || return
  [ -z "$mc_quota" ] || [ "$((mc_count * mc_period))" -eq "$mc_quota" ]
}

# mc_list_ids COUNT: sets mc_ids to that many ids as Flux writes them (RFC 22).
mc_list_ids() {
  mc_ids=0
  [ "$1" -lt 2 ] || mc_ids=0-$(($1 - 1))
}

# mc_count_in NAME: sets mc_count to the number of `core` or `gpu` that mc_local, an R of one pod or of
# equal ones, has in a pod.
mc_count_in() {
  mc_count=0
  case $mc_local in *"\"$1\""*) ;; *) return 0 ;; esac
  mc_ids=${mc_local#*"\"$1\""}
  mc_ids=${mc_ids#*\"}
  mc_count_ids "${mc_ids%%\"*}"
}

# Sets mc_cores to the number of cores that Flux may use in this pod, and mc_gpus to that of GPUs.
mc_count_resources() {
  mc_count_in core
  mc_cores=$mc_count
  mc_count_in gpu
  [ -n "$mc_gpus" ] || mc_gpus=$mc_count
  [ -n "$mc_quota" ] && [ -z "$mc_cores_from_node" ] || return 0
  mc_limit=$(((mc_quota + mc_period - 1) / mc_period))
  [ "$mc_cores" -le "$mc_limit" ] || mc_cores=$mc_limit
}

# Writes R, the description of what the instance has: that of Flux for all hosts, with what this pod
# may use. Every broker needs the file, but the lead's is the one that counts, for all pods. A file
# that a snippet wrote is kept, also at the path of older Flux views, if it is no link any more.
mc_write_resources() {
  mc_older=$viewroot/etc/flux/system/R
  if [ -s "$mc_older" ] && [ ! -L "$mc_older" ] && cp -f "$mc_older" "$mc_resources"; then
    rm -f "$mc_older" && mc_link_older_places
  fi
  [ ! -s "$mc_resources" ] || return 0
  mc_local=$(flux R encode --hosts="$mc_hosts" --local) ||
    mc_fail "$mc_exit_no_resources" "flux R encode failed; there is no resource description for the brokers"
  mc_count_resources
  mc_list_ids "$mc_cores"
  mc_has="\"core\": \"$mc_ids\""
  mc_list_ids "$mc_gpus"
  [ "$mc_gpus" -eq 0 ] || mc_has="$mc_has, \"gpu\": \"$mc_ids\""
  mc_before=${mc_local%%children*}
  mc_after=${mc_local#*children}
  printf '%schildren": {%s}%s\n' "$mc_before" "$mc_has" "${mc_after#*"}"}" >"$mc_resources.pod"
  cp -f "$mc_resources.pod" "$mc_resources" ||
    mc_fail "$mc_exit_no_resources" "cannot write $mc_resources"
}

# True if R is the one of mc_write_resources.
mc_resources_are_ours() {
  [ -s "$mc_resources" ] && [ -s "$mc_resources.pod" ] &&
    [ "$(cat "$mc_resources")" = "$(cat "$mc_resources.pod")" ]
}

# The cores that count are those at the start: a restarted container counts them again.
mc_forget_resources() {
  mc_resources=$mc_mount/config/etc/flux/system/R
  mc_cores=
  mc_read_quota
  ! mc_resources_are_ours || rm -f "$mc_resources"
}

# Makes shell.lua the first file that Flux's job shell reads, for every job of the instance, and for
# the instances that jobs start. It finds Flux's own files by links. If the pod shares its cores with
# others, tasks are not pinned (`unpinned`): every pod of a node would choose the same cores.
mc_write_shell_defaults() {
  mc_defaults=$mc_mount/config/etc/flux/shell
  mc_initrc=
  [ -e "$mc_dir/shell.lua" ] || return 0 # a Job of an earlier version
  mc_builtin=$(flux config builtin shell_initrc 2>/dev/null) || return 0
  [ -r "$mc_builtin" ] || return 0
  mkdir -p "$mc_defaults/jobs"
  rm -f "$mc_defaults/unpinned" "$mc_defaults/jobs/unpinned"
  ln -sfn "$mc_dir" "$mc_defaults/scripts"
  ln -sf "$mc_builtin" "$mc_defaults/system.lua"
  ln -sfn "${mc_builtin%/*}/lua.d" "$mc_defaults/lua.d"
  ln -sf "$mc_dir/shell.lua" "$mc_defaults/jobs/minicluster.lua"
  ln -sf "$mc_dir/shell.lua" "$mc_defaults/initrc.lua" ||
    mc_fail "$mc_exit_no_configuration" "cannot write to $mc_defaults"
  if ! mc_has_own_cores; then
    : >"$mc_defaults/unpinned"
    : >"$mc_defaults/jobs/unpinned"
  fi
  mc_initrc=$mc_defaults/initrc.lua
  export FLUX_SHELL_RC_PATH="$mc_defaults/jobs${FLUX_SHELL_RC_PATH:+:$FLUX_SHELL_RC_PATH}"
}

# Every broker runs rc1.sh before it joins. The file `cores` is empty if R is the user's. `metrics` has
# the port and the program that serves it.
mc_write_rc() {
  mc_rc=$mc_mount/config/etc/flux/minicluster
  [ -e "$mc_dir/rc1.sh" ] || return 0
  mkdir -p "$mc_rc/rc1.d"
  rm -f "$mc_rc/small" "$mc_rc/drain-reason" "$mc_rc/leaving"
  printf '%s\n' "$mc_cores" >"$mc_rc/cores"
  [ -z "$mc_drain_seconds" ] || printf '%s\n' "$mc_drain_reason" >"$mc_rc/drain-reason"
  [ -z "${mc_metrics_port:-}" ] || printf '%s %s\n' "$mc_metrics_port" "$mc_dir/metrics.py" >"$mc_rc/metrics"
  ln -sf "$mc_dir/rc1.sh" "$mc_rc/rc1.d/minicluster" ||
    mc_fail "$mc_exit_no_configuration" "cannot write to $mc_rc"
  export FLUX_RC_EXTRA="${FLUX_RC_EXTRA:+$FLUX_RC_EXTRA:}$mc_rc"
}

# What RDMA transfers from must be locked in memory, and a container has its runtime's limit.
mc_warn_locked_memory() {
  [ -d "$mc_system/dev/infiniband" ] || return 0
  # shellcheck disable=SC3045 # dash, bash and busybox have it
  mc_locked=$(ulimit -l 2>/dev/null)
  case $mc_locked in '' | *[!0-9]*) return 0 ;; esac # unlimited
  [ "$mc_locked" -ge 1048576 ] ||
    printf 'minicluster: warning: %s\n' "this pod has an RDMA device, but may lock only $mc_locked KiB of memory; ask an administrator to raise the memlock limit of the container runtime on the node" >&2
}

# Prepares all that brokers need, before the snippets that may use or change it. If Flux itself
# comes with a snippet, mc_require makes the rest.
mc_prepare() {
  [ -f "$cfg/broker.toml" ] ||
    mc_fail "$mc_exit_no_configuration" "no $cfg/broker.toml; the init container did not finish its work"
  mkdir -p "$mc_mount/config/run/flux" "$STATE_DIR" ||
    mc_fail "$mc_exit_no_configuration" "cannot make folders in $mc_mount/config"
  mkdir -p "$FLUX_OUTPUT_DIR" 2>/dev/null
  if [ -n "$mc_simple_scheduler" ]; then
    printf '[modules.alternatives]\nsched = "sched-simple"\n' >"$cfg/scheduler.toml" ||
      mc_fail "$mc_exit_no_configuration" "cannot write to $cfg"
  fi
  [ ! -e "$mc_socket" ] || rm -f "$mc_socket" # left by the container before a restart
  mc_copy_certificate
  mc_forget_resources
  ! command -v flux >/dev/null 2>&1 || mc_write_resources
  mc_write_helpers
}

# Flux would say of a wrapper that the image lacks only that it cannot execute the broker, as often as
# the pod is tried. As of a command that is not there, the end is final.
mc_require_wrapper() {
  [ -n "$mc_wrap" ] && [ "$mc_role" = broker ] && [ "$mc_mode" != interactive ] || return 0
  mc_wrapper=${mc_wrap%%,*}
  command -v "$mc_wrapper" >/dev/null 2>&1 || {
    mc_record 127 "$mc_step"
    mc_fail 127 "$mc_wrapper, the program of flux.wrap, is not in any folder of PATH: $PATH"
  }
}

# Checks and completes what brokers need, after the snippets.
mc_require() {
  command -v flux >/dev/null 2>&1 || mc_fail "$mc_exit_no_flux" "flux is not in any folder of PATH: $PATH"
  mc_require_wrapper
  [ "$mc_mode" != batch ] || mkdir -p "$FLUX_OUTPUT_DIR" 2>/dev/null ||
    mc_fail "$mc_exit_no_output_dir" \
      "cannot make the folder $FLUX_OUTPUT_DIR for the output of the batch's jobs"
  mc_write_resources
  mc_resources_are_ours || mc_cores='' # a user's R wins
  mc_write_shell_defaults
  mc_write_rc
  mc_warn_locked_memory
  mc_phase config
}

mc_option() {
  mc_word "-S$1"
  mc_options="${mc_options:+$mc_options }$mc_worded"
}

# Sets mc_options to the broker's options, as a command line.
mc_list_options() {
  mc_options=
  # On the host's network the pod has the node's host name; broker.toml has the pod's.
  [ -z "$mc_host_network" ] || mc_option "hostname=${mc_lead_host%-*}-$JOB_COMPLETION_INDEX"
  mc_option "cron.directory=$mc_mount/config/etc/flux/system/cron.d"
  mc_option "rundir=$mc_mount/config/run/flux"
  mc_option "statedir=$STATE_DIR"
  # On a signal it waits at most this long for its jobs to end: the archive, which is written after
  # that, must be complete within the pod's 30 s.
  [ "$mc_role" = worker ] || mc_option broker.cleanup-timeout=4s
  if [ -n "$mc_topology" ]; then mc_option "tbon.topo=$mc_topology"; else mc_option tbon.fanout=256; fi
  [ -z "$mc_use_socket" ] || mc_option "local-uri=$fluxsocket"
  [ -z "$mc_connect_timeout" ] || mc_option "tbon.connect_timeout=$mc_connect_timeout"
  [ -z "$mc_quorum" ] || mc_option "broker.quorum=$mc_quorum"
  [ -z "$mc_zeromq" ] || mc_option tbon.zmqdebug=1
  mc_option "log-stderr-level=$mc_level"
  mc_option log-stderr-mode=local
}

# Offers to snippets, which may change them: the command line and the broker's options, both in
# shell syntax. If the pod's environment has a variable of that name, it is the user's.
mc_offer_command() {
  mc_command=
  if [ -s "$mc_files/batch.sh" ]; then
    mc_command=$mc_files/batch.sh
  elif [ -e "$mc_files/script.sh" ]; then
    mc_command="$mc_shell $mc_files/script.sh"
  elif [ -s "$mc_files/command.words" ]; then
    mc_command=$(cat "$mc_files/command.words")
  fi
  mc_takes_command=${command+no}
  mc_offer command "$mc_command"
  mc_list_options
  mc_takes_options=${brokerOptions+no}
  mc_offer brokerOptions "$mc_options"
}
mc_take_command() {
  [ -n "$mc_takes_command" ] || mc_command=$command
  [ -n "$mc_takes_options" ] || mc_options=$brokerOptions
  # Without a command the broker stays for its users.
  [ -z "$mc_interactive" ] && [ -n "$mc_command" ] || mc_mode=interactive
}

# mc_no_words NAME: ends with the code of a shell that cannot parse a line.
mc_no_words() {
  printf 'minicluster: error: the shell cannot parse %s\n' "$1" >&2
  exit 2
}

# mc_broker start|broker [WORD...]: runs a broker, with the command WORD..., to its end. `flux
# start` passes on what follows `-o --config FOLDER` word by word; its own -S would split at commas.
mc_broker() {
  mc_how=$1
  shift
  if [ -n "$mc_dump" ]; then
    set -- "-Scontent.dump=$mc_dump" "$@"
    [ ! -e "$mc_archive" ] || set -- "-Scontent.restore=$mc_archive" "$@"
  fi
  [ "$mc_mode" != interactive ] || set -- -Sbroker.rc2_none "$@"
  [ -z "$mc_initrc" ] || set -- "-Sconf.shell_initrc=$mc_initrc" "$@"
  eval "set -- $mc_options \"\$@\"" || mc_no_words brokerOptions
  if [ "$mc_how" = broker ]; then
    set -- flux broker --config-path "$cfg" "$@"
  else
    set -- -o --config "$cfg" "$@"
    [ -z "$mc_wrap" ] || [ "$mc_role" = worker ] || set -- "--wrap=$mc_wrap" "$@"
    set -- flux start "$@"
  fi
  # Not what runs: its words have the values of variables, and those may be of Secrets.
  mc_say "runs: flux $mc_how $mc_options"
  mc_phase broker
  if [ -n "$mc_timed" ] && [ "$mc_role" = broker ]; then
    set -- sh "$mc_dir/timed.sh" fluxstart "$@"
  fi
  mc_run "$@"
  mc_phase "end code=$mc_code"
}

# mc_start [WORD...]: runs the lead's broker with a command, after the user's prefix.
mc_start() {
  . "$mc_files/prefix.words" || mc_no_words commands.prefix
  [ -z "$mc_timed" ] || set -- sh "$mc_dir/timed.sh" fluxsubmit "$@"
  mc_broker start sh "$mc_dir/lead.sh" "$@"
}

# Sets mc_flags to flux.optionFlags as a command line, mc_flags_for_pods to the same without the
# cores of a task, mc_per_task to those, and mc_has_gpus if a task takes GPUs. Sets mc_label to the
# option that labels output, and mc_input if the flags have the standard input.
mc_read_flags() {
  mc_flags='' mc_flags_for_pods='' mc_per_task=1 mc_has_gpus='' mc_label='' mc_input=''
  set --
  . "$mc_files/options.words" || mc_no_words flux.optionFlags
  while [ $# -gt 0 ]; do
    mc_flag=$1
    mc_word "$1"
    shift
    mc_flags="$mc_flags $mc_worded"
    case $mc_flag in
      -l | --label-io) mc_label=--label-io ;;
      --input | --input=*) mc_input=1 ;;
    esac
    case $mc_flag in
      -c | --cores-per-task)
        [ $# -gt 0 ] || break
        mc_per_task=$1
        mc_word "$1"
        shift
        mc_flags="$mc_flags $mc_worded"
        ;;
      -c?*) mc_per_task=${mc_flag#-c} ;;
      --cores-per-task=*) mc_per_task=${mc_flag#*=} ;;
      -g* | --gpus-per-task*)
        mc_has_gpus=1
        mc_flags_for_pods="$mc_flags_for_pods $mc_worded"
        ;;
      *) mc_flags_for_pods="$mc_flags_for_pods $mc_worded" ;;
    esac
  done
  case $mc_per_task in '' | *[!0-9]*) mc_per_task=1 ;; esac
}

# If the tasks need more cores than the pods have, gives them the pods as a whole, and spreads them
# over these: what starts must not depend on the CPU limit. Sets mc_total to the number of tasks
# (submit.sh); for a submit command of the user mc_per_pod, if they can be spread evenly.
mc_spread_tasks() {
  mc_per_pod='' mc_total=''
  mc_read_flags
  [ -n "$mc_cores" ] && [ -n "$mc_tasks" ] && [ -z "$mc_has_gpus" ] || return 0
  [ "$((mc_tasks * mc_per_task))" -gt "$((mc_cores * mc_pods))" ] ||
    [ "$mc_per_task" -gt "$mc_cores" ] || return 0
  mc_whole=$mc_pods
  [ "$mc_whole" -le "$mc_tasks" ] || mc_whole=$mc_tasks
  if [ "$mc_mode" = batch ] || [ "$mc_submits" = batch ]; then
    mc_tasks=
  elif [ -z "$mc_user_submit" ]; then
    mc_total=$mc_tasks mc_tasks=$mc_whole
  elif [ "$((mc_tasks % mc_whole))" -eq 0 ]; then
    mc_per_pod=$((mc_tasks / mc_whole)) mc_tasks=
  else
    return 0
  fi
  mc_nodes=$mc_whole
  mc_flags="--exclusive$mc_flags_for_pods"
  mc_say "the tasks request more cores than the pods have, so they share cores"
}

# mc_submit WORD...: runs these words as a job, with its output and its code. A submit command of the
# user (mc_user_submit) provides both itself, with --watch if it has that option (mc_watch).
mc_submit() {
  [ -z "$mc_debug" ] || set -- -vvv "$@"
  [ -z "$mc_watch" ] || set -- --watch "$@"
  mc_spread_tasks
  eval "set -- $mc_flags \"\$@\""
  [ -z "$mc_user_submit" ] || set -- --quiet "$@"
  [ -z "$mc_per_pod" ] || set -- "--tasks-per-node=$mc_per_pod" "$@"
  [ -z "$mc_tasks" ] || set -- "-n$mc_tasks" "$@"
  [ -z "$mc_nodes" ] || set -- "-N$mc_nodes" "$@"
  # Without a client nobody writes to the job's input: a command that reads it would wait for ever. Of
  # Flux's commands that a user may choose, only flux-run(1) passes it on.
  case $mc_user_submit,$mc_submits in ,* | 1,run) mc_passes_on=$mc_stdin ;; *) mc_passes_on= ;; esac
  [ -n "$mc_user_input$mc_input$mc_passes_on" ] || set -- --input=/dev/null "$@"
  . "$mc_files/submit.words" || mc_no_words flux.submitCommand
  [ -n "$mc_user_submit" ] || set -- sh "$mc_dir/submit.sh" "$mc_label" "$@"
  [ -z "$mc_total" ] || export MINICLUSTER_TASKS="$mc_total"
  mc_start "$@"
}

mc_batch() {
  command -v bash >/dev/null 2>&1 || mc_fail "$mc_exit_no_bash" "a batch job needs bash in the image"
  set -- --flags=waitable "$mc_files/batch.sh"
  mc_spread_tasks
  eval "set -- $mc_flags \"\$@\""
  [ -n "$mc_input" ] || set -- --input=/dev/null "$@"
  [ -z "$mc_tasks" ] || set -- "-n$mc_tasks" "$@"
  [ -z "$mc_nodes" ] || set -- "-N$mc_nodes" "$@"
  mc_start sh "$mc_dir/batch.sh" "$FLUX_OUTPUT_DIR/batch.out" "$@"
}

# Takes over the archive and the folder of a batch's outputs from an earlier lead, which may still run on
# a node that does not answer. Flux writes its dump, mc_dump, beside the archive, under a name with the
# same suffix, by which it chooses the compression.
mc_take_over() {
  read -r mc_uuid </proc/sys/kernel/random/uuid
  export MINICLUSTER_LEAD="$mc_lead_host $mc_uuid"
  [ "$mc_mode" != batch ] || mc_claim "$FLUX_OUTPUT_DIR/.minicluster-lead"
  [ -n "$mc_archive" ] || return 0
  rm -f "${mc_archive%/*}"/.minicluster-*-"${mc_archive##*/}"
  mc_claim "$mc_archive.lead"
  mc_dump=${mc_archive%/*}/.minicluster-$mc_uuid-${mc_archive##*/}
}
mc_claim() { { printf '%s\n' "$MINICLUSTER_LEAD" >"$1"; } 2>/dev/null || :; }

# True if the broker was killed. A command that was killed has the same code.
mc_was_killed() {
  [ "$mc_code" -eq 137 ] || return 1
  mc_recorded=
  [ ! -s "$mc_end_file" ] || read -r mc_recorded mc_rest <"$mc_end_file"
  [ "$mc_recorded" != 137 ]
}

# True if Flux has written its dump to the end. It has if it ended well. If it did not, a program of the
# image tells. Without one, or if that takes longer, the dump counts unless the broker was killed.
mc_dump_is_complete() {
  [ "$mc_code" -ne 0 ] || return 0
  case $mc_dump in
    *.gz | *.tgz) mc_within 5 gzip -t "$mc_dump" ;;
    *.bz2) mc_within 5 bzip2 -t "$mc_dump" ;;
    *.xz) mc_within 5 xz -t "$mc_dump" ;;
    *.tar) mc_within 5 mc_ends_in_zeros "$mc_dump" ;;
    *) (exit 127) ;;
  esac
  mc_tested=$?
  if [ "$mc_tested" -ge 127 ]; then ! mc_was_killed; else [ "$mc_tested" -eq 0 ]; fi
}

# True if a file ends as a tar archive does: with two blocks of zeros.
mc_ends_in_zeros() {
  command -v tail && command -v tr || return 127
  [ -s "$1" ] && [ -z "$(tail -c 1024 "$1" | tr -d '\000')" ]
}

# Makes the dump the archive, at once: what reads it finds the old or the new one, whole. A path that is
# mounted itself cannot be replaced, only written.
mc_save_archive() {
  [ -e "$mc_dump" ] || return 0
  if ! mc_dump_is_complete; then
    mc_unsaved="Flux could not write all of it"
  elif ! mc_owns "$mc_archive.lead"; then
    mc_unsaved="a later lead of this MiniCluster has started"
  elif mv -f "$mc_dump" "$mc_archive" 2>/dev/null || cp -f "$mc_dump" "$mc_archive"; then
    mc_unsaved=
  else
    mc_unsaved="it cannot be written"
  fi
  rm -f "$mc_dump"
  [ -z "$mc_unsaved" ] ||
    printf 'minicluster: warning: %s\n' "the state of Flux is not saved in $mc_archive, because $mc_unsaved" >&2
}

mc_lead() {
  set --
  mc_take_over
  [ -z "$mc_checkpoint_seconds" ] || mc_when_told=mc_save
  case $mc_mode in
    interactive) mc_broker broker ;;
    batch) mc_batch ;;
    *)
      eval "set -- $mc_command" || mc_no_words command
      case $mc_mode in
        launcher) mc_start "$@" ;;
        *) mc_submit "$@" ;;
      esac
      ;;
  esac
  mc_when_told=
  mc_save_archive
}

# Sets mc_code to how the lead ended, or mc_why for a failure of our own. What lead.sh has recorded
# is how the command ended, whatever happened to the broker after that.
mc_judge() {
  if [ -s "$mc_end_file" ]; then
    read -r mc_code mc_step <"$mc_end_file"
  elif [ -n "$mc_signalled" ]; then
    mc_code=$mc_exit_signalled mc_why="ended by a signal"
    mc_add_outlived
  elif [ -s "$mc_mount/flux-operator-lost.txt" ]; then
    read -r mc_lost <"$mc_mount/flux-operator-lost.txt"
    mc_code=$mc_exit_follower_lost mc_why="$mc_lost was lost while the command ran"
  else
    mc_why="the broker ended with code $mc_code"
    if [ -e "$mc_mount/flux-operator-begun.txt" ]; then
      mc_why="$mc_why while the command ran"
    elif [ "$mc_mode" != interactive ]; then
      mc_why="$mc_why before the command was started"
    elif [ "$mc_code" -eq 0 ]; then
      mc_why=
      return
    fi
    mc_code=$mc_exit_broker_ended
  fi
}

# True if a follower's broker that has ended is not started again. Brokers end with 0 both when the
# command has ended, which the lead reports (lead.sh), and when the lead's pod is lost: then the Job
# creates another, which needs its followers. A lead in another cluster reports nothing.
mc_decided() {
  [ -z "$mc_complete_workers" ] || return 0
  [ ! -e "$mc_mount/flux-operator-ended.txt" ] || return 0
  [ "$mc_code" -eq 0 ] && [ -z "$mc_has_lead" ]
}

# On a signal before the command has ended, a follower first waits for the jobs on this node, if it has
# time, and ends those that are left (leave.sh). Its broker stays until the lead's has ended them, at
# most 2 s; if the whole cluster ends, the lead's broker ends it.
mc_leave() {
  mc_leaves_in=2
  [ "$mc_time_of_jobs" -eq 0 ] || mc_leaves_in=$((mc_time_of_jobs + 15)) # Flux's commands take time too
  for mc_local in "$mc_mount"/config/run/flux/local*; do
    if [ -S "$mc_local" ] && [ ! -e "$mc_mount/flux-operator-ended.txt" ] &&
      FLUX_URI=local://$mc_local mc_within "$mc_leaves_in" sh "$mc_dir/leave.sh"; then
      (sleep 2 && kill -TERM "$mc_child") >/dev/null 2>&1 3<&- 5>&- 6>&- 8>&- &
      return
    fi
  done
  kill -TERM "$mc_child" 2>/dev/null
}

# On a signal, with spec.preemptible.checkpoint, the lead first lets its jobs save their state.
mc_save() {
  for mc_local in "$mc_mount"/config/run/flux/local*; do
    if [ -S "$mc_local" ] && [ ! -s "$mc_end_file" ]; then
      : >"$mc_saving_file"
      FLUX_URI=local://$mc_local mc_within "$((mc_checkpoint_seconds + 15))" sh "$mc_dir/checkpoint.sh"
    fi
  done
  kill -TERM "$mc_child" 2>/dev/null
}

# Sets mc_own_name, "" without one, and mc_own_addresses, from what the kubelet has written.
mc_read_own_name() {
  mc_own_name='' mc_own_addresses=' '
  while read -r mc_address mc_name mc_rest; do
    case $mc_name in
      "${HOSTNAME:-$(uname -n)}".*) mc_own_name=$mc_name mc_own_addresses="$mc_own_addresses$mc_address " ;;
    esac
  done <"$mc_system/etc/hosts"
} 2>/dev/null

# mc_resolve OPTION... NAME: writes the addresses of NAME to a file. False if there are none.
mc_resolve() {
  # shellcheck disable=SC2016 # the inner shell's
  mc_run sh -c 'getent "$@" >"$0" 2>/dev/null' "$mc_rc/addresses" "$@"
  [ "$mc_code" -eq 0 ]
}

# True if a broker may start once more. Flux takes the newest broker of a rank (overlay.hello). So on a
# node that comes back after its pod was replaced, a broker would push out that of the next pod, until
# the kubelet ends this one: not if another pod has this pod's name by now, and not while the network
# is still away. If nothing can be found out, it starts.
mc_may_join_again() {
  [ -n "$mc_has_lead" ] && [ -z "$mc_host_network" ] && command -v getent >/dev/null 2>&1 || return 0
  mc_read_own_name
  [ -n "$mc_own_name" ] || return 0
  mc_resolve ahosts "$mc_lead_host.${mc_own_name#*.}" || return 1
  mc_resolve -s dns ahosts "$mc_own_name" || return 0
  while read -r mc_address mc_rest; do
    case $mc_own_addresses in *" $mc_address "*) return 0 ;; esac
  done <"$mc_rc/addresses"
  return 1
}

mc_await_own_name() {
  until mc_may_join_again || [ -n "$mc_signalled" ]; do
    [ -n "$mc_awaits" ] ||
      mc_say "the broker waits: DNS does not know the lead, or knows $mc_own_name as the name of another pod"
    mc_awaits=1
    mc_run sleep 1
  done
  mc_awaits=
}

# Runs a broker that joins the lead's, and restarts it as long as the lead may come back. If the
# lead is lost permanently, the Job ends, and this pod with it.
mc_follow() {
  mc_delay=1 mc_awaits='' mc_joined=''
  while [ -z "$mc_signalled" ]; do
    [ -z "$mc_joined" ] || mc_await_own_name
    [ -z "$mc_signalled" ] || break
    mc_joined=1
    mc_uptime
    mc_began=$mc_now
    mc_when_told=mc_leave
    mc_broker start
    mc_when_told=
    if [ -s "$mc_rc/small" ]; then
      mc_code=$mc_exit_no_resources
      read -r mc_why <"$mc_rc/small"
      return
    fi
    if mc_decided; then
      mc_code=0
      return
    fi
    mc_uptime
    [ "$((mc_now - mc_began))" -lt 6000 ] || mc_delay=1
    [ -n "$mc_signalled" ] || {
      mc_say "the broker ended with code $mc_code; it starts again in $mc_delay s"
      mc_run sleep "$mc_delay"
    }
    [ "$mc_delay" -ge 8 ] || mc_delay=$((mc_delay * 2))
  done
  mc_code=$mc_exit_signalled mc_why="ended by a signal"
  mc_add_outlived
}

# Adds the jobs that had to be ended to mc_why, three by name.
mc_add_outlived() {
  [ -s "$mc_outlived_file" ] || return 0
  mc_count=0 mc_list=
  while read -r mc_job; do
    mc_count=$((mc_count + 1))
    [ "$mc_count" -gt 3 ] || mc_list="${mc_list:+$mc_list, }$mc_job"
  done <"$mc_outlived_file"
  [ "$mc_count" -le 3 ] || mc_list="$mc_list, and $((mc_count - 3)) more"
  mc_why="$mc_why; jobs that still ran after $mc_time_of_jobs s were ended: $mc_list"
}

# A follower that was informed how the command ended passes it on: the lead may be lost before its
# own end is known.
mc_hand_on() {
  [ -s "$mc_mount/flux-operator-ended.txt" ] || return 0
  read -r mc_told <"$mc_mount/flux-operator-ended.txt"
  mc_tell_kubelet "the command ended with code $mc_told"
}

mc_initialize
mc_hold_alive
mc_environment
mc_label_stderr
mc_streams
[ -z "$mc_stdin" ] || exec </dev/null # it is the command's (3), not that of a snippet
mc_step="the command"
mc_why=
mc_has_run=
mc_dump=
mc_time_of_jobs=$((${mc_drain_seconds:-0} + ${mc_checkpoint_seconds:-0})) # after a signal, in seconds
mc_system=${mc_system:-} # of the system's files, for tests
mc_proxies=${mc_proxies:-15020/quitquitquit 4191/shutdown} # port and path of each
trap 'mc_end $?' EXIT
mc_repeat_end
trap mc_signal TERM INT HUP
mc_role=worker
! mc_leads || mc_role=broker
[ "$mc_role" = worker ] || mc_take_admitted
mc_level=$mc_log_level
[ -z "$mc_quiet" ] || mc_level=0
read -r mc_hosts <"$mc_dir/hostlist"
mc_offer hosts "$mc_hosts"
mc_offer_command

# At the top level and not in a function, where `declare` would make variables local. Without 8: a
# program that a snippet leaves behind would keep sidecars waiting. `post` may end the container, and what
# comes then (mc_linger) must be able to close 8.
for mc_step in init prepare pre "${mc_role}Pre"; do
  case $mc_step in
    prepare)
      mc_step="the command"
      mc_prepare
      continue
      ;;
    *Pre) mc_snippet=$mc_role-pre ;;
    *) mc_snippet=$mc_step ;;
  esac
  [ -e "$mc_files/$mc_snippet.sh" ] || continue
  mc_strict_on
  . "$mc_files/$mc_snippet.sh" >&5 2>&6 8>&-
  mc_strict_off
done
mc_step="the command"
mc_take_command
mc_require
# A signal ends a broker, and no more from here on: what has ended is recorded, and `post` still runs.
mc_ends_itself=1
if [ "$mc_role" = broker ]; then
  mc_lead
  mc_judge
  [ -n "$mc_why" ] || [ "$mc_mode" = interactive ] || mc_has_run=1
else
  mc_follow
fi

if [ -e "$mc_files/post.sh" ]; then
  mc_last_step=$mc_step
  mc_step=post
  mc_strict_on
  . "$mc_files/post.sh"
  mc_strict_off
  mc_step=$mc_last_step
fi
[ -z "$mc_why" ] || mc_fail "$mc_code" "$mc_why"
[ "$mc_role" = broker ] || mc_hand_on
exit "$mc_code"
